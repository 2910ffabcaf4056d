package io.fencepost.testkit.kill;

import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;

/** The directory of a server that has worked, and what can happen to the files in it. */
final class ServerFiles {
  static final String TOPIC = "payments";
  static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  static final String GROUP = "clerks";

  /** How many transactions were committed, one record v0, v1, ... each. */
  static final int COMMITTED = 40;

  private final Path temporary;
  private final SplittableRandom random;

  ServerFiles(Path temporary, SplittableRandom random) {
    this.temporary = temporary;
    this.random = random;
  }

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

  /** A server's directory with committed, aborted and plain records, and committed offsets. */
  Path write(End end) throws Exception {
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
      try (KafkaConsumer<String, String> teller =
          new KafkaConsumer<>(
              Map.of(
                  "bootstrap.servers",
                  bootstrap,
                  "group.id",
                  "tellers",
                  "group.protocol",
                  "consumer"),
              new StringDeserializer(),
              new StringDeserializer())) {
        join(teller);
        if (end == End.KILLED) {
          // What a killed process leaves is what stands in its files.
          return copy(dir);
        }
      }
    }
    return dir;
  }

  private static void join(KafkaConsumer<String, String> member) {
    member.subscribe(List.of(TOPIC));
    Awaitility.await()
        .until(
            () -> {
              member.poll(Duration.ofMillis(50));
              return member.assignment().contains(PARTITION);
            });
    member.commitSync(Map.of(PARTITION, new OffsetAndMetadata(7)));
  }

  static FencepostServer start(Path dir) {
    return FencepostServer.start(
        FencepostConfig.builder()
            .dir(dir)
            .set("log.segment.bytes", "1048576")
            .set("offsets.topic.num.partitions", "1")
            .set("transaction.state.log.num.partitions", "1")
            .build());
  }

  /** Returns false where there is nothing to damage. */
  boolean damage(Path file, Damage damage) throws IOException {
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

  static List<Path> files(Path dir) throws IOException {
    try (Stream<Path> found = Files.walk(dir)) {
      return found
          .filter(Files::isRegularFile)
          .filter(path -> !path.getFileName().toString().equals(".lock"))
          .filter(path -> !path.toString().contains("LOG"))
          .sorted()
          .toList();
    }
  }

  Path copy(Path dir) throws IOException {
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

  static void delete(Path dir) throws IOException {
    try (Stream<Path> found = Files.walk(dir)) {
      for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
