package io.fencepost.samples.labs;

import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.samples.client.Clients;
import io.fencepost.samples.client.OwnCluster;
import io.fencepost.samples.client.RawLog;
import io.fencepost.samples.client.RawTransaction;
import io.fencepost.samples.client.Sender;
import io.fencepost.testkit.net.RawClient;
import io.fencepost.txn.main.CoordinatorKey;
import io.fencepost.txn.main.FencepostCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Three brokers and one transaction that is ready to be committed: a record in each of two
 * partitions, and an offset of a group. Broker 1 is the coordinator of its transactional id and
 * leads none of the partitions; broker 3 is the coordinator of the group. Not thread safe.
 */
final class CommitStage implements AutoCloseable {
  static final int COORDINATOR = 1;
  static final int FAR = 3;
  static final String TOPIC = "payments";
  static final String ID = "payments-job";
  private static final String GROUP = "payments-job";
  private static final TopicPartition INPUT = new TopicPartition("orders", 0);
  private static final TopicPartition STATE = new TopicPartition(TopicNames.TRANSACTIONS, 0);
  private static final TopicPartition OFFSETS = new TopicPartition(TopicNames.OFFSETS, 0);

  private final OwnCluster cluster;
  private final KafkaProducer<String, String> producer;

  private CommitStage(OwnCluster cluster, KafkaProducer<String, String> producer) {
    this.cluster = cluster;
    this.producer = producer;
  }

  /**
   * A stage of its own.
   *
   * @param leaders of the topic's two partitions
   */
  static CommitStage open(List<Integer> leaders) {
    TreeMap<String, String> settings = new TreeMap<>();
    settings.put("replica.lag.time.max.ms", "500");
    OwnCluster cluster = OwnCluster.start(settings);
    KafkaProducer<String, String> producer = Clients.transactional(cluster.bootstrap(), ID);
    CommitStage stage = new CommitStage(cluster, producer);
    try {
      stage.prepare(leaders);
      return stage;
    } catch (KafkaException | IllegalStateException e) {
      stage.close();
      throw e;
    }
  }

  private void prepare(List<Integer> leaders) {
    cluster.createTopic(TOPIC, 2, leaders);
    cluster.createTopic(INPUT.topic(), 2, List.of(FAR));
    producer.initTransactions();
    put(STATE, COORDINATOR);
    cluster.cluster().committed(GROUP);
    put(OFFSETS, FAR);
    producer.beginTransaction();
    Sender<String, String> sender = new Sender<>(producer);
    sender.send(new ProducerRecord<>(TOPIC, 0, null, "p0"));
    sender.send(new ProducerRecord<>(TOPIC, 1, null, "p1"));
    sender.awaitAll();
    try (KafkaConsumer<String, String> consumer = Clients.consumer(cluster.bootstrap(), GROUP)) {
      producer.sendOffsetsToTransaction(
          Map.of(INPUT, new OffsetAndMetadata(1)), consumer.groupMetadata());
    }
  }

  private void put(TopicPartition partition, int leader) {
    brokers().awaitIsr(partition.topic(), partition.partition(), 1, 2, 3);
    brokers().moveLeader(partition.topic(), partition.partition(), leader);
  }

  private FencepostCluster brokers() {
    return cluster.brokers();
  }

  /** Cuts the coordinator off from broker 3: what it decides it can log, but not bring there. */
  void cutOff() {
    brokers().isolate(COORDINATOR, FAR);
    brokers().awaitIsr(STATE.topic(), STATE.partition(), COORDINATOR, 2);
  }

  /** The client commits; what comes of it will be known later. */
  CompletableFuture<Void> commit() {
    return CompletableFuture.runAsync(producer::commitTransaction);
  }

  /** The same, and returns once the coordinator has logged that it will be a commit. */
  CompletableFuture<Void> commitUntilPrepared() {
    long before = brokers().highWatermark(STATE.topic(), STATE.partition());
    CompletableFuture<Void> answer = commit();
    brokers().awaitHighWatermark(STATE.topic(), STATE.partition(), before + 1);
    return answer;
  }

  /** Waits until partition 1 has its marker, behind the one record that it has. */
  void awaitMarkerOfPartition1() {
    brokers().awaitHighWatermark(TOPIC, 1, 2);
  }

  /**
   * All markers reach their partitions, which broker 3 leads; no answer reaches the coordinator.
   */
  void bringMarkers() {
    int coordinatorEpoch = brokers().leaderEpoch(STATE.topic(), STATE.partition());
    try (RawClient leader = cluster.raw(FAR)) {
      transaction().writeCommitMarkers(leader, marked(), coordinatorEpoch);
    }
  }

  /** The coordinator commits, and its answer goes to nobody. */
  void commitWithoutAnswer() {
    try (RawClient coordinator = cluster.raw(COORDINATOR)) {
      transaction().commit(coordinator);
    }
  }

  /** Kills the coordinator, and returns who takes over. */
  int kill() {
    brokers().kill(COORDINATOR);
    brokers().awaitLeader(STATE.topic(), STATE.partition());
    return brokers().coordinatorOf(CoordinatorKey.transaction(ID));
  }

  /** Where the transaction stands in the log of its coordinator. */
  RawTransaction transaction() {
    try (RawClient coordinator = raw(STATE)) {
      return RawTransaction.read(coordinator, ID);
    }
  }

  /** How many of the partitions, that of the offsets included, have their marker. */
  long markers() {
    return marked().stream().filter(this::hasMarker).count();
  }

  static List<TopicPartition> marked() {
    return List.of(new TopicPartition(TOPIC, 0), new TopicPartition(TOPIC, 1), OFFSETS);
  }

  private boolean hasMarker(TopicPartition partition) {
    try (RawClient leader = raw(partition)) {
      return RawLog.read(leader, partition).entries().stream().anyMatch(e -> e.marker() != null);
    }
  }

  private RawClient raw(TopicPartition partition) {
    return cluster.raw(brokers().leaderOf(partition.topic(), partition.partition()));
  }

  /** What readers of committed records see. */
  List<String> visible() {
    return cluster.committed(TOPIC);
  }

  /** The committed offset of the group; null if it has none. */
  @Nullable Long offset() {
    return cluster.cluster().committed(GROUP).get(INPUT);
  }

  /** The client goes on with its next transaction, which writes this record. */
  void next(String value) {
    nextOf(producer, value);
  }

  /** The client is gone; another one under its transactional id takes over. */
  void nextOfSuccessor(String value) {
    producer.close(Duration.ZERO);
    try (KafkaProducer<String, String> successor = Clients.transactional(cluster.bootstrap(), ID)) {
      successor.initTransactions();
      nextOf(successor, value);
    }
  }

  private static void nextOf(KafkaProducer<String, String> producer, String value) {
    producer.beginTransaction();
    Sender<String, String> sender = new Sender<>(producer);
    sender.send(new ProducerRecord<>(TOPIC, 0, null, value));
    sender.awaitAll();
    producer.commitTransaction();
  }

  /** Records, without those of the next transaction. */
  static List<String> without(List<String> records, String value) {
    List<String> others = new ArrayList<>(records);
    others.remove(value);
    return others;
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
    cluster.close();
  }
}
