package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.cluster.NewTopic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a test can do to a cluster and ask of it, call by call. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterCallsIT {
  private static final String TOPIC = "payments";

  private FencepostCluster cluster;
  private int leader;

  @BeforeEach
  void start() {
    cluster = FencepostCluster.start(3);
    var unused =
        cluster
            .broker(1)
            .services()
            .controller()
            .createTopic(new NewTopic(TOPIC, 1, 3, new TreeMap<>(), new TreeMap<>()));
    leader = cluster.leaderOf(TOPIC, 0);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private KafkaProducer<String, String> producer(String setting, Object value) {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", cluster.bootstrapServers(), setting, value),
        new StringSerializer(),
        new StringSerializer());
  }

  private static void send(KafkaProducer<String, String> producer) throws Exception {
    var unused = producer.send(new ProducerRecord<>(TOPIC, 0, null, "v")).get();
  }

  private int other() {
    return cluster.isr(TOPIC, 0).stream().filter(id -> id != leader).findFirst().orElseThrow();
  }

  @Test
  void an_open_transaction_holds_the_last_stable_offset_until_it_ends() throws Exception {
    try (KafkaProducer<String, String> producer = producer("transactional.id", "t")) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer);
      cluster.awaitHighWatermark(TOPIC, 0, 1);
      assertThat(cluster.lastStableOffset(TOPIC, 0)).isZero();
      producer.commitTransaction();
      cluster.awaitLastStableOffset(TOPIC, 0, 2);
      assertThat(cluster.logEnd(TOPIC, 0)).isEqualTo(2);
    }
  }

  @Test
  void a_coordinator_moves_with_its_transaction_open_and_the_client_goes_on() throws Exception {
    CoordinatorKey key = CoordinatorKey.transaction("t");
    try (KafkaProducer<String, String> producer = producer("transactional.id", "t")) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer);
      int before = cluster.coordinatorOf(key);
      int after = cluster.moveCoordinator(key);
      assertThat(after).isNotEqualTo(before);
      assertThat(cluster.coordinatorOf(key)).isEqualTo(after);
      producer.commitTransaction();
    }
    cluster.awaitLastStableOffset(TOPIC, 0, 2);
  }

  @Test
  void a_broker_that_lags_has_everything_later_and_not_before() throws Exception {
    int slow = other();
    cluster.lag(slow, Duration.ofHours(1));
    try (KafkaProducer<String, String> producer = producer("acks", "1")) {
      send(producer);
      assertThat(cluster.logEnd(TOPIC, 0)).isEqualTo(1);
      assertThat(cluster.logEnd(TOPIC, 0, slow)).isZero();
      assertThat(cluster.highWatermark(TOPIC, 0)).isZero();
    }
    cluster.kill(slow);
    cluster.heal();
    cluster.restart(slow);
    cluster.awaitLogEnd(TOPIC, 0, slow, 1);
  }

  @Test
  void who_waits_goes_on_waiting_while_the_broker_is_down() throws Exception {
    int down = other();
    try (KafkaProducer<String, String> producer = producer("acks", "all")) {
      send(producer);
      cluster.kill(down);
      send(producer);
      CompletableFuture<Void> waiting =
          CompletableFuture.runAsync(() -> cluster.awaitLogEnd(TOPIC, 0, down, 2));
      // It has looked more than once by then.
      assertThatThrownBy(() -> waiting.get(50, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      cluster.restart(down);
      waiting.get();
    }
  }

  @Test
  void leadership_moves_to_whom_it_is_given_and_off_who_stops() throws Exception {
    int next = other();
    cluster.moveLeader(TOPIC, 0, next);
    assertThat(cluster.awaitLeader(TOPIC, 0)).isEqualTo(next);
    try (KafkaProducer<String, String> producer = producer("acks", "all")) {
      send(producer);
      cluster.stop(next);
      assertThat(cluster.leaderOf(TOPIC, 0)).isNotEqualTo(next);
      send(producer);
    }
    assertThat(cluster.running()).doesNotContain(next);
    assertThat(cluster.leaderEpoch(TOPIC, 0)).isEqualTo(2);
  }

  @Test
  void what_cannot_be_done_is_refused_with_the_reason() {
    int down = other();
    cluster.kill(down);
    assertThatThrownBy(() -> cluster.moveLeader(TOPIC, 0, down))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Broker " + down + " cannot lead payments-0")
        .hasMessageContaining("brokers up " + List.copyOf(cluster.running()));
    assertThatThrownBy(() -> cluster.kill(down)).hasMessageContaining("is down");
    assertThatThrownBy(() -> cluster.restart(leader)).hasMessageContaining("is up");
    assertThatThrownBy(() -> cluster.kill(9)).hasMessageContaining("only [1, 2, 3]");
    assertThatThrownBy(() -> cluster.leaderOf("none", 0)).hasMessageContaining("none-0");
    assertThatThrownBy(() -> cluster.coordinatorOf(CoordinatorKey.group("g")))
        .hasMessageContaining("__consumer_offsets");
  }
}
