package io.fencepost.samples.labs;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.disk.FileDisk;
import io.fencepost.broker.log.LogConfig;
import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.main.SystemClock;
import io.fencepost.samples.client.Administration;
import io.fencepost.samples.client.Clients;
import io.fencepost.samples.client.Cluster;
import io.fencepost.samples.client.CommittedReader;
import io.fencepost.samples.client.EmbeddedBroker;
import io.fencepost.samples.client.OpenTransactions;
import io.fencepost.samples.client.OpenTransactions.Open;
import io.fencepost.samples.client.RawLog;
import io.fencepost.samples.client.Sender;
import io.fencepost.testkit.main.TemporaryDirectory;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * A broker with a directory of its own, in which transactions can be left open. Not thread safe.
 */
final class HangingStage implements AutoCloseable {
  private static final long TIMESTAMP = 1_000;

  private final TemporaryDirectory directory;
  private EmbeddedBroker broker;
  private Cluster cluster;
  private Administration administration;

  private HangingStage(TemporaryDirectory directory) {
    this.directory = directory;
    this.broker = startBroker();
    this.cluster = Cluster.connect(broker.bootstrapServers());
    this.administration = Administration.connect(broker.bootstrapServers());
  }

  static HangingStage open() {
    return new HangingStage(TemporaryDirectory.create("fencepost-lab"));
  }

  private EmbeddedBroker startBroker() {
    TreeMap<String, String> settings = new TreeMap<>();
    settings.put("log.cleaner.backoff.ms", "50");
    return EmbeddedBroker.start(0, directory.path(), settings);
  }

  /** A topic of two partitions that is compacted as early as can be. */
  void createCompacted(String name) {
    cluster.createTopic(
        new NewTopic(name, Optional.of(2), Optional.empty())
            .configs(
                Map.of(
                    "cleanup.policy", "compact",
                    "min.cleanable.dirty.ratio", "0",
                    "internal.segment.bytes", "1")));
  }

  void create(String name) {
    cluster.createTopics(List.of(name), 1);
  }

  /** A client begins a transaction, sends one record, and is never heard of again. */
  void leaveOpen(String transactionalId, int timeoutMs, TopicPartition partition, String value) {
    Properties settings = Clients.producerSettings(broker.bootstrapServers());
    settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
    settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, Integer.toString(timeoutMs));
    KafkaProducer<String, String> producer = Clients.producer(settings);
    try {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, partition, value, value);
    } finally {
      producer.close(Duration.ZERO);
    }
  }

  void send(TopicPartition partition, @Nullable String key, String value) {
    try (KafkaProducer<String, String> producer =
        Clients.producer(Clients.producerSettings(broker.bootstrapServers()))) {
      send(producer, partition, key, value);
    }
  }

  private static void send(
      KafkaProducer<String, String> producer,
      TopicPartition to,
      @Nullable String key,
      String value) {
    Sender<String, String> sender = new Sender<>(producer);
    sender.send(new ProducerRecord<>(to.topic(), to.partition(), key, value));
    sender.awaitAll();
  }

  /** Stops the broker, puts a batch into a log as no coordinator let in, and starts it again. */
  void putByHand(TopicPartition partition, long producerId, short epoch, String value) {
    stopBroker();
    FileDisk disk = new FileDisk(directory.path());
    PartitionLog log =
        PartitionLog.open(disk, partition.toString(), LogConfig.defaults(), new SystemClock());
    byte[] text = value.getBytes(StandardCharsets.UTF_8);
    log.append(
        BatchWriter.at(log.endOffset())
            .leaderEpoch(0)
            .producer(producerId, epoch, 0)
            .transactional()
            .add(TIMESTAMP, text, text)
            .build());
    log.force();
    log.close(false);
    broker = startBroker();
    cluster = Cluster.connect(broker.bootstrapServers());
    administration = Administration.connect(broker.bootstrapServers());
  }

  /** Where readers of committed records stop, and where all others do. */
  RawLog log(TopicPartition partition) {
    try (RawClient raw = raw()) {
      return RawLog.read(raw, partition);
    }
  }

  /** The same, once there is a record at that offset. */
  RawLog logOnce(TopicPartition partition, long offset) {
    try (RawClient raw = raw()) {
      return RawLog.readOnce(raw, partition, offset);
    }
  }

  private RawClient raw() {
    return RawClient.connect(Endpoint.parse(broker.bootstrapServers()));
  }

  List<String> committed(TopicPartition partition) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        Clients.reader(broker.bootstrapServers(), new StringDeserializer())) {
      consumer.assign(List.of(partition));
      CommittedReader.toEnd(consumer, record -> values.add(record.value()));
    }
    return values;
  }

  /** Who holds readers back, as {@code fencepost txn blockers} finds it. */
  String blocker(TopicPartition partition) {
    OpenTransactions.Blocked blocked =
        new OpenTransactions(administration).blockers(only(partition)).get(partition);
    if (blocked == null) {
      return "nobody";
    }
    Open open = blocked.blocker();
    String id = open.transactionalId();
    return id == null || !open.hasOwner() ? "producer " + open.producer().producerId() : id;
  }

  /** Whom no coordinator will end, as {@code fencepost txn hanging} finds it. */
  List<Open> hanging(TopicPartition partition) {
    return new OpenTransactions(administration)
        .open(only(partition)).stream().filter(open -> !open.hasOwner()).toList();
  }

  private static SortedSet<TopicPartition> only(TopicPartition partition) {
    SortedSet<TopicPartition> one = new TreeSet<>(Comparator.comparing(TopicPartition::toString));
    one.add(partition);
    return one;
  }

  /** What {@code fencepost txn fence} does. */
  void fence(String transactionalId) {
    administration.await(administration.admin().fenceProducers(List.of(transactionalId)).all());
  }

  /** What {@code fencepost txn abort} does. */
  void abort(Open open) {
    administration.await(
        administration
            .admin()
            .abortTransaction(
                new AbortTransactionSpec(
                    open.partition(),
                    open.producer().producerId(),
                    (short) open.producer().producerEpoch(),
                    Math.max(0, open.producer().coordinatorEpoch().orElse(0))))
            .all());
  }

  private void stopBroker() {
    administration.close();
    cluster.close();
    broker.close();
  }

  @Override
  public void close() {
    stopBroker();
    directory.close();
  }
}
