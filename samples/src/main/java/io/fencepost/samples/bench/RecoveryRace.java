package io.fencepost.samples.bench;

import io.fencepost.samples.report.Table;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A job with a large store is killed (kill -9) when it has processed all there is, one more record
 * comes in each partition, and the job starts again: how long until a committed reader sees the
 * first output. All entries read the same topic of one broker, one after the other.
 */
final class RecoveryRace {
  /**
   * One restart.
   *
   * @param seconds from the launch of the process to the first output that is committed
   * @param appCpuSeconds CPU of the job's process until then
   * @param around what else ran
   */
  record Restart(double seconds, double appCpuSeconds, Around around) {}

  private static final int PARTITIONS = 4;
  private static final int VALUE_BYTES = 1_024;
  private static final long SEED = 11;
  private static final Duration POLL = Duration.ofMillis(5);
  private static final Duration PATIENCE = Duration.ofMinutes(20);

  private final int keys;
  private final Contender contender;
  private final Path rivalJars;
  private final int passes;
  private final Consumer<String> progress;
  private final CleanUp cleanUp;

  RecoveryRace(
      int keys,
      Contender contender,
      Path rivalJars,
      int passes,
      Consumer<String> progress,
      CleanUp cleanUp) {
    this.keys = keys;
    this.contender = contender;
    this.rivalJars = rivalJars;
    this.passes = passes;
    this.progress = progress;
    this.cleanUp = cleanUp;
  }

  Map<RecoveryEntry, List<Restart>> run(Path scratch) throws Exception {
    Map<RecoveryEntry, List<Restart>> results = new LinkedHashMap<>();
    Path directory = Files.createTempDirectory(scratch, "recovery");
    try (Brokers broker = contender.start(Files.createDirectory(directory.resolve("b")))) {
      Clients.createTopic(broker.bootstrap(), RecoveryApp.ROWS, PARTITIONS);
      progress.accept("publish %,d rows".formatted(keys));
      publishAll(broker.bootstrap());
      long records = keys;
      for (RecoveryEntry entry : RecoveryEntry.values()) {
        Clients.createTopic(broker.bootstrap(), entry.output(), PARTITIONS);
        Path place = Files.createDirectory(directory.resolve(entry.name()));
        progress.accept(entry.title() + ": fill its store");
        try (BrokerProcess first = launch(entry, broker, place, records)) {
          first.kill();
        }
        for (int pass = 0; pass < passes; pass++) {
          progress.accept(
              "%s: start %d of %d after a kill".formatted(entry.title(), pass + 1, passes));
          results
              .computeIfAbsent(entry, unused -> new ArrayList<>())
              .add(restart(entry, broker, place));
          records += PARTITIONS;
        }
        remove(place);
      }
    }
    return results;
  }

  private BrokerProcess launch(RecoveryEntry entry, Brokers broker, Path place, long records)
      throws Exception {
    long begunNanos = System.nanoTime();
    Process process = entry.launch(cleanUp, rivalJars, broker.bootstrap(), place, records);
    awaitDone(process, place);
    return new BrokerProcess(process, broker.bootstrap(), begunNanos);
  }

  private Restart restart(RecoveryEntry entry, Brokers broker, Path place) throws Exception {
    try (KafkaConsumer<byte[], byte[]> output = consumer(broker.bootstrap(), entry.output())) {
      Random random = new Random(SEED);
      try (KafkaProducer<byte[], byte[]> producer =
          Clients.producer(broker.bootstrap(), Map.of())) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
          producer
              .send(
                  new ProducerRecord<>(RecoveryApp.ROWS, partition, key(partition), value(random)))
              .get();
        }
      }
      Machine.Mark mark = Machine.mark();
      Duration before = broker.cpu();
      long begunNanos = System.nanoTime();
      Process process = entry.launch(cleanUp, rivalJars, broker.bootstrap(), place, PARTITIONS);
      try (BrokerProcess app = new BrokerProcess(process, broker.bootstrap(), begunNanos)) {
        while (output.poll(POLL).isEmpty()) {
          if (!process.isAlive() || app.age().compareTo(PATIENCE) > 0) {
            throw new IllegalStateException(
                entry.title() + " wrote nothing: " + Files.readString(log(place)));
          }
        }
        Duration wall = app.age();
        Duration cpu = app.cpu();
        Around around = Around.since(mark, broker.cpu().minus(before).plus(cpu), wall);
        awaitDone(process, place);
        app.kill();
        return new Restart(wall.toNanos() / 1e9, cpu.toNanos() / 1e9, around);
      }
    }
  }

  /** At the end of the topic. */
  private static KafkaConsumer<byte[], byte[]> consumer(String bootstrap, String topic) {
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> partitions = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      partitions.add(new TopicPartition(topic, partition));
    }
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    partitions.forEach(consumer::position);
    return consumer;
  }

  private void publishAll(String bootstrap) throws Exception {
    Random random = new Random(SEED);
    Map<String, Object> settings = Map.of("linger.ms", 20, "batch.size", 256 << 10);
    try (KafkaProducer<byte[], byte[]> producer = Clients.producer(bootstrap, settings);
        LogCheck log = new LogCheck(bootstrap, RecoveryApp.ROWS)) {
      for (int i = 0; i < keys; i++) {
        var unused =
            producer.send(
                new ProducerRecord<>(RecoveryApp.ROWS, i % PARTITIONS, key(i), value(random)));
      }
      producer.flush();
      log.grewBy(keys, 0);
    }
  }

  private static byte[] key(int number) {
    return String.format(Locale.ROOT, "row-%010d", number).getBytes(StandardCharsets.US_ASCII);
  }

  /** Such as no compression makes smaller. */
  private static byte[] value(Random random) {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    return value;
  }

  private static void awaitDone(Process process, Path place) throws IOException {
    @SuppressWarnings("StreamResourceLeak") // lives as long as the process
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    List<String> said = new ArrayList<>();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.equals(JobApp.DONE)) {
        return;
      }
      said.add(line);
    }
    throw new IllegalStateException("the job ended early: " + said + Files.readString(log(place)));
  }

  private static Path log(Path place) {
    return place.resolve("job.log");
  }

  private static void remove(Path directory) throws IOException {
    try (var paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /** Each entry's figures, and the first one's ratio to it. */
  static Table table(Map<RecoveryEntry, List<Restart>> results) {
    Table table =
        new Table(
            "entry",
            "first output after, s",
            "CPU of the job until then, s",
            "ratio of Fencepost's time to it",
            "CPU that others took, %");
    double ours =
        Spread.of(results.getOrDefault(RecoveryEntry.FENCEPOST, List.of()), Restart::seconds)
            .median();
    results.forEach(
        (entry, restarts) -> {
          Spread seconds = Spread.of(restarts, Restart::seconds);
          table.row(
              entry.title(),
              shown(seconds),
              shown(Spread.of(restarts, Restart::appCpuSeconds)),
              String.format(Locale.ROOT, "%.3f", ours / seconds.median()),
              shown(Spread.of(restarts, it -> it.around().othersPercent())));
        });
    return table;
  }

  private static String shown(Spread spread) {
    return "%s (%s to %s)"
        .formatted(
            Comparison.shown(spread.median()),
            Comparison.shown(spread.min()),
            Comparison.shown(spread.max()));
  }
}
