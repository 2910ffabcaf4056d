import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** ClientCheck HOST:PORT RUN NAME: the steps of run-all.sh with the Java client. */
public final class ClientCheck {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final String bootstrap;
  private final String name;
  private final String topic;
  private boolean failed;

  private ClientCheck(String bootstrap, String run, String name) {
    this.bootstrap = bootstrap;
    this.name = name;
    this.topic = name + "-" + run;
  }

  public static void main(String[] args) {
    ClientCheck check = new ClientCheck(args[0], args[1], args[2]);
    check.run();
    System.exit(check.failed ? 1 : 0);
  }

  private void run() {
    step("create topics", "done", this::createTopics);
    step("produce idempotent", 9L, this::produce);
    step("consume by group, commit", values(), this::consumeAndCommit);
    step("committed offsets", 10L, () -> committed("g-" + topic));
    step("transaction aborted, offsets unmoved", 0L, () -> transact(false));
    step("transaction committed, offsets moved", 10L, () -> transact(true));
    step("read_committed sees the committed only", List.of("committed"), this::visible);
    step("second producer fences the first", "fenced", this::fence);
    step("admin lists, describes and deletes the group", "gone", this::admin);
  }

  private void step(String what, Object expected, Callable<Object> action) {
    Object actual;
    try {
      actual = action.call();
    } catch (Exception e) {
      actual = e;
    }
    boolean same = Objects.equals(expected, actual);
    failed |= !same;
    String detail = same ? "" : ": expected " + expected + ", got " + actual;
    System.out.printf("%-8s %-11s %s%s%n", same ? "ok" : "FAILED", name, what, detail);
  }

  private Object createTopics() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      NewTopic in = new NewTopic(topic, 1, (short) 1);
      NewTopic out = new NewTopic(topic + "-out", 1, (short) 1);
      admin.createTopics(List.of(in, out)).all().get();
      return "done";
    }
  }

  private static List<String> values() {
    return IntStream.range(0, 10).mapToObj(i -> "v" + i).toList();
  }

  private Object produce() throws Exception {
    try (KafkaProducer<String, String> producer = producer(Map.of("acks", "all"))) {
      long last = -1;
      for (String value : values()) {
        last = producer.send(new ProducerRecord<>(topic, value)).get().offset();
      }
      return last;
    }
  }

  private Object consumeAndCommit() {
    try (KafkaConsumer<String, String> consumer = consumer("g-" + topic)) {
      consumer.subscribe(List.of(topic));
      List<String> read = read(consumer, 10);
      consumer.commitSync();
      return read;
    }
  }

  private Object committed(String group) {
    try (KafkaConsumer<String, String> consumer = consumer(group)) {
      TopicPartition partition = new TopicPartition(topic, 0);
      OffsetAndMetadata offset = consumer.committed(Set.of(partition), LONG).get(partition);
      return offset == null ? 0L : offset.offset();
    }
  }

  private Object transact(boolean commit) {
    try (KafkaProducer<String, String> producer = producer(Map.of("transactional.id", topic));
        KafkaConsumer<String, String> consumer = consumer("x-" + topic)) {
      producer.initTransactions();
      consumer.subscribe(List.of(topic));
      read(consumer, 10);
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic + "-out", commit ? "committed" : "aborted"));
      TopicPartition partition = new TopicPartition(topic, 0);
      producer.sendOffsetsToTransaction(
          Map.of(partition, new OffsetAndMetadata(10, Optional.empty(), "")),
          consumer.groupMetadata());
      if (commit) {
        producer.commitTransaction();
      } else {
        producer.abortTransaction();
      }
    }
    return committed("x-" + topic);
  }

  private Object visible() {
    try (KafkaConsumer<String, String> consumer = consumer("v-" + topic)) {
      consumer.subscribe(List.of(topic + "-out"));
      return read(consumer, 1);
    }
  }

  private Object fence() {
    Map<String, Object> config = Map.of("transactional.id", topic + "-fence");
    try (KafkaProducer<String, String> first = producer(config);
        KafkaProducer<String, String> second = producer(config)) {
      first.initTransactions();
      first.beginTransaction();
      second.initTransactions();
      first.send(new ProducerRecord<>(topic + "-out", "zombie"));
      try {
        first.commitTransaction();
        return "not fenced";
      } catch (ProducerFencedException | InvalidProducerEpochException e) {
        return "fenced";
      }
    }
  }

  private Object admin() throws Exception {
    String group = "g-" + topic;
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      boolean listed =
          admin.listConsumerGroups().all().get().stream().anyMatch(g -> g.groupId().equals(group));
      if (!listed) {
        return "not listed";
      }
      int members =
          admin.describeConsumerGroups(List.of(group)).all().get().get(group).members().size();
      if (members != 0) {
        return members + " members";
      }
      admin.deleteConsumerGroups(List.of(group)).all().get();
      boolean known =
          !admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().isEmpty();
      return known ? "still there" : "gone";
    }
  }

  /** Values until there are as many as asked for, and a moment longer. */
  private static List<String> read(KafkaConsumer<String, String> consumer, int count) {
    List<String> values = new ArrayList<>();
    long deadline = System.nanoTime() + LONG.toNanos();
    while (System.nanoTime() < deadline && values.size() < count) {
      for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
        values.add(record.value());
      }
    }
    consumer.poll(Duration.ofMillis(500)).forEach(record -> values.add(record.value()));
    return Collections.unmodifiableList(values);
  }

  private KafkaProducer<String, String> producer(Map<String, Object> more) {
    Map<String, Object> config = new HashMap<>(more);
    config.put("bootstrap.servers", bootstrap);
    config.put("max.block.ms", 30_000);
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  private KafkaConsumer<String, String> consumer(String group) {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers", bootstrap,
            "group.id", group,
            "auto.offset.reset", "earliest",
            "enable.auto.commit", false,
            "isolation.level", "read_committed",
            "session.timeout.ms", 10_000),
        new StringDeserializer(),
        new StringDeserializer());
  }
}
