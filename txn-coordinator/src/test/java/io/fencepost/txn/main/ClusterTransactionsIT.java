package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.cluster.NewTopic;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions that outlive their coordinator, and producers that outlive their right to one. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterTransactionsIT {
  private static final String TOPIC = "payments";
  private static final int TIMEOUT_MS = 2_000;
  private static final int SCAN_MS = 500;
  private static final CoordinatorKey KEY = CoordinatorKey.transaction("t");

  private FencepostCluster cluster;

  @BeforeEach
  void start() {
    cluster =
        FencepostCluster.start(
            ClusterConfig.builder()
                .set(
                    "transaction.abort.timed.out.transaction.cleanup.interval.ms",
                    String.valueOf(SCAN_MS))
                .build());
    var unused =
        cluster
            .broker(1)
            .services()
            .controller()
            .createTopic(new NewTopic(TOPIC, 3, 3, new TreeMap<>(), new TreeMap<>()));
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private KafkaProducer<String, String> producer(String bootstrap) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("transactional.id", "t");
    settings.put("transaction.timeout.ms", TIMEOUT_MS);
    settings.put("max.block.ms", 10_000);
    return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  private static void send(KafkaProducer<String, String> producer, int partition) throws Exception {
    var unused = producer.send(new ProducerRecord<>(TOPIC, partition, null, "v")).get();
  }

  @Test
  void C12_a_transaction_whose_coordinator_died_is_aborted_in_time_by_the_next_one()
      throws Exception {
    try (KafkaProducer<String, String> producer = producer(cluster.bootstrapServers())) {
      producer.initTransactions();
      producer.beginTransaction();
      long begunNanos = System.nanoTime();
      for (int partition = 0; partition < 3; partition++) {
        send(producer, partition);
      }
      int coordinator = cluster.coordinatorOf(KEY);
      cluster.kill(coordinator);
      for (int partition = 0; partition < 3; partition++) {
        cluster.awaitLastStableOffset(TOPIC, partition, 2);
      }
      long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
      assertThat(tookMs).isBetween((long) TIMEOUT_MS - SCAN_MS, TIMEOUT_MS + 10L * SCAN_MS);
      // As Kafka answers a client of 4.4 whose transaction has timed out.
      assertThatThrownBy(producer::commitTransaction).isInstanceOf(InvalidTxnStateException.class);
    }
  }

  @Test
  void C12_a_transaction_that_timed_out_while_nobody_coordinated_is_aborted_at_once_after_that()
      throws Exception {
    try (KafkaProducer<String, String> producer = producer(cluster.bootstrapServers())) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, 0);
      for (int broker : cluster.brokers()) {
        cluster.kill(broker);
      }
      // Nothing to wait for: the time itself must pass while all are down.
      long deadNanos = System.nanoTime();
      while (System.nanoTime() - deadNanos < TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS)) {
        LockSupport.parkNanos(1_000_000);
      }
      for (int broker : cluster.brokers()) {
        cluster.restart(broker);
      }
      cluster.awaitLeader(TOPIC, 0);
      long upNanos = System.nanoTime();
      cluster.awaitLastStableOffset(TOPIC, 0, 2);
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - upNanos))
          .isLessThan(10L * SCAN_MS);
    }
  }

  @Test
  void C10_of_two_producers_that_reach_different_brokers_only_the_later_one_goes_on()
      throws Exception {
    try (KafkaProducer<String, String> first = producer(cluster.bootstrapServers(1));
        KafkaProducer<String, String> second = producer(cluster.bootstrapServers(2))) {
      first.initTransactions();
      first.beginTransaction();
      send(first, 0);
      second.initTransactions();
      second.beginTransaction();
      send(second, 1);
      cluster.moveCoordinator(KEY);
      assertThatThrownBy(() -> send(first, 2))
          .hasRootCauseInstanceOf(InvalidProducerEpochException.class);
      assertThatThrownBy(first::commitTransaction)
          .isInstanceOfAny(ProducerFencedException.class, InvalidProducerEpochException.class);
      second.commitTransaction();
    }
    // The abort of the first one's record, and the commit of the second one's.
    cluster.awaitLastStableOffset(TOPIC, 0, 2);
    cluster.awaitLastStableOffset(TOPIC, 1, 2);
    assertThat(cluster.logEnd(TOPIC, 2)).isZero();
  }
}
