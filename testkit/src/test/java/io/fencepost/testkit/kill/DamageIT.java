package io.fencepost.testkit.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.DiskException;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every kind of file in the directory is damaged between two runs. The next start repairs it or
 * refuses with a sentence; no acknowledged record is missing without a sign. A random part of all
 * trials; for all of them: {@code -Dfencepost.damage.seconds=600}.
 */
class DamageIT {
  private static final String TOPIC = "payments";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final String GROUP = "clerks";
  private static final int COMMITTED = 40;
  private static final int DEFAULT_SECONDS = 10;

  private final long seed = Long.getLong("fencepost.seed", System.nanoTime());
  private final int seconds = Integer.getInteger("fencepost.damage.seconds", DEFAULT_SECONDS);
  private final SplittableRandom random = new SplittableRandom(seed);

  @TempDir Path temporary;

  /** How a run ended that a damage is done to. */
  enum End {
    STOPPED,
    KILLED
  }

  /** What is done to a file. */
  enum Damage {
    FLIPPED,
    CUT,
    EMPTIED,
    REMOVED
  }

  /** One thing to try. */
  private record Trial(Path intact, Path file, End end, Damage damage) {
    @Override
    public String toString() {
      return "%s after %s: %s".formatted(intact.relativize(file), end, damage);
    }
  }

  @Test
  void damage_is_repaired_or_refused_and_never_loses_a_record_in_silence() throws Exception {
    List<Trial> trials = trials();
    List<String> faults = new ArrayList<>();
    TreeMap<String, Integer> results = new TreeMap<>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!trials.isEmpty() && System.nanoTime() < end) {
      Trial trial = trials.remove(random.nextInt(trials.size()));
      Path copy = copy(trial.intact);
      if (damage(copy.resolve(trial.intact.relativize(trial.file)), trial.damage)) {
        String result = run(copy, false);
        results.merge(result.split(":", 2)[0], 1, Integer::sum);
        if (result.startsWith("FAULT")) {
          faults.add(trial + " -> " + result);
        }
      }
      delete(copy);
    }
    assertThat(faults).as("seed 0x%x, %s", seed, results).isEmpty();
    assertThat(results).as("seed 0x%x", seed).isNotEmpty();
  }

  private List<Trial> trials() throws Exception {
    List<Trial> trials = new ArrayList<>();
    for (End end : End.values()) {
      Path intact = write(end);
      for (Path file : files(intact)) {
        // After a kill the log's tail looks the same whether it was torn or cut by somebody.
        if (end == End.STOPPED || !file.toString().endsWith(".log")) {
          for (Damage damage : Damage.values()) {
            trials.add(new Trial(intact, file, end, damage));
          }
        }
      }
    }
    return trials;
  }

  /** A server's directory with committed, aborted and plain records, and committed offsets. */
  private Path write(End end) throws Exception {
    Path dir = temporary.resolve(end.name());
    try (FencepostServer server = start(dir)) {
      String bootstrap = server.bootstrapServers();
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
        admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
      }
      try (KafkaProducer<String, String> producer =
              new KafkaProducer<>(
                  Map.of("bootstrap.servers", bootstrap, "transactional.id", "t"),
                  new StringSerializer(),
                  new StringSerializer());
          KafkaConsumer<String, String> consumer =
              new KafkaConsumer<>(
                  Map.of("bootstrap.servers", bootstrap, "group.id", GROUP),
                  new StringDeserializer(),
                  new StringDeserializer())) {
        producer.initTransactions();
        for (int i = 0; i < COMMITTED; i++) {
          producer.beginTransaction();
          var unused = producer.send(new ProducerRecord<>(TOPIC, 0, null, "v" + i));
          producer.sendOffsetsToTransaction(
              Map.of(PARTITION, new OffsetAndMetadata(i)), consumer.groupMetadata());
          producer.commitTransaction();
          if (i % 10 == 0) {
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(TOPIC, 0, null, "aborted" + i)).get();
            producer.abortTransaction();
          }
        }
      }
      if (end == End.KILLED) {
        // What a killed process leaves is what stands in its files.
        return copy(dir);
      }
    }
    return dir;
  }

  private static FencepostServer start(Path dir) {
    return FencepostServer.start(
        FencepostConfig.builder()
            .dir(dir)
            .set("log.segment.bytes", "1048576")
            .set("offsets.topic.num.partitions", "1")
            .set("transaction.state.log.num.partitions", "1")
            .build());
  }

  /** Damage in rows that were met while serving is repaired by one more restart. */
  private String run(Path dir, boolean restarted) {
    Set<String> wanted = new TreeSet<>();
    for (int i = 0; i < COMMITTED; i++) {
      wanted.add("v" + i);
    }
    try (FencepostServer server = start(dir)) {
      Map<String, Object> config = new HashMap<>();
      config.put("bootstrap.servers", server.bootstrapServers());
      config.put("group.id", GROUP);
      config.put("isolation.level", "read_committed");
      config.put("default.api.timeout.ms", 5_000);
      try (KafkaConsumer<String, String> consumer =
          new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
        OffsetAndMetadata offset = consumer.committed(Set.of(PARTITION)).get(PARTITION);
        consumer.assign(List.of(PARTITION));
        consumer.seekToBeginning(List.of(PARTITION));
        long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
        while (consumer.position(PARTITION) < end) {
          for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
            if (!wanted.remove(record.value())) {
              return "FAULT: read " + record.value();
            }
          }
        }
        boolean hasAside = hasAside(dir);
        if (!wanted.isEmpty()) {
          return (hasAside ? "set aside" : "FAULT") + ": missing " + wanted;
        }
        if (offset == null || offset.offset() != COMMITTED - 1) {
          return (hasAside ? "set aside" : "FAULT") + ": committed offset " + offset;
        }
        return "repaired";
      }
    } catch (DiskException refused) {
      return refused.getMessage().length() > 20 ? "refused" : "FAULT: " + refused;
    } catch (TimeoutException stuck) {
      return restarted ? "FAULT: " + stuck : run(dir, true);
    } catch (KafkaException corrupt) {
      // A record whose checksum is wrong: the client stops there and says so.
      return "client saw it";
    } catch (RuntimeException | Error broken) {
      return "FAULT: " + broken + " at " + broken.getStackTrace()[0];
    }
  }

  /** Whether something was moved out of the way, which somebody will find. */
  private static boolean hasAside(Path dir) {
    try (Stream<Path> found = Files.walk(dir, 2)) {
      return found
          .map(path -> path.getFileName().toString())
          .anyMatch(name -> name.startsWith("stray-") || name.contains(".damaged"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean damage(Path file, Damage damage) throws IOException {
    long size = Files.size(file);
    switch (damage) {
      case FLIPPED:
        if (size == 0) {
          return false;
        }
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
          long at = random.nextLong(size);
          open.seek(at);
          int old = open.read();
          open.seek(at);
          open.write(old ^ (1 << random.nextInt(8)));
        }
        return true;
      case CUT:
        if (size < 2) {
          return false;
        }
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
          open.setLength(1 + random.nextLong(size - 1));
        }
        return true;
      case EMPTIED:
        Files.write(file, new byte[0]);
        return size > 0;
      case REMOVED:
        Files.delete(file);
        return true;
    }
    throw new IllegalArgumentException("" + damage);
  }

  private static List<Path> files(Path dir) throws IOException {
    try (Stream<Path> found = Files.walk(dir)) {
      return found
          .filter(Files::isRegularFile)
          .filter(path -> !path.getFileName().toString().equals(".lock"))
          .filter(path -> !path.toString().contains("LOG"))
          .sorted()
          .toList();
    }
  }

  private Path copy(Path dir) throws IOException {
    Path target = Files.createTempDirectory(temporary, "copy");
    try (Stream<Path> found = Files.walk(dir)) {
      for (Path path : found.sorted().toList()) {
        Path to = target.resolve(dir.relativize(path).toString());
        if (!Files.exists(to)) {
          Files.copy(path, to);
        }
      }
    }
    return target;
  }

  private static void delete(Path dir) throws IOException {
    try (Stream<Path> found = Files.walk(dir)) {
      for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
