package io.fencepost.testkit.fault.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.testkit.fault.FaultAction;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.txn.main.ClusterConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class BrokerFaultsIT {
  private static final String TOPIC = "payments";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final int TRANSACTIONS = 4;

  private static Faults faults(String plan) {
    return Faults.of(FaultPlan.parse(plan), new SystemClock());
  }

  private static ClusterConfig config(int brokers) {
    return ClusterConfig.builder()
        .brokers(brokers)
        .set("flush", "group")
        .set("broker.session.timeout.ms", "300")
        .set("transaction.state.log.num.partitions", "1")
        .set("offsets.topic.num.partitions", "1")
        .build();
  }

  private static void createTopic(BrokerFaults on, int replicas) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap(on)))) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) replicas))).all().get();
    }
  }

  private static String bootstrap(BrokerFaults on) {
    return on.cluster().bootstrapServers();
  }

  private static KafkaProducer<String, String> producer(BrokerFaults on) {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers", bootstrap(on),
            "transactional.id", "teller",
            "transaction.timeout.ms", "40000",
            "max.block.ms", "40000",
            "request.timeout.ms", "2000",
            "reconnect.backoff.max.ms", "100",
            "retry.backoff.ms", "20"),
        new StringSerializer(),
        new StringSerializer());
  }

  /** A few transactions of two records each; every third one is aborted. Returns the others. */
  private static List<String> transactions(KafkaProducer<String, String> producer)
      throws Exception {
    List<String> committed = new ArrayList<>();
    for (int i = 0; i < TRANSACTIONS; i++) {
      producer.beginTransaction();
      List<String> values = List.of("first of " + i, "second of " + i);
      for (String value : values) {
        producer.send(new ProducerRecord<>(TOPIC, 0, null, value)).get();
      }
      if (i % 3 == 2) {
        producer.abortTransaction();
      } else {
        producer.commitTransaction();
        committed.addAll(values);
      }
    }
    return committed;
  }

  private static List<String> read(BrokerFaults on, int count) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap(on), "isolation.level", "read_committed"),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(PARTITION));
      consumer.seekToBeginning(List.of(PARTITION));
      long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (values.size() < count && System.nanoTime() < end) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
      }
      consumer.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
    }
    return values;
  }

  /** Every committed record is there once, in its order, and no other. */
  private static void holdsUnder(String plan, int brokers) throws Exception {
    Faults faults = faults(plan);
    try (BrokerFaults on = BrokerFaults.start(config(brokers), null, BrokerFaults.RESTART_AFTER)) {
      createTopic(on, brokers);
      try (KafkaProducer<String, String> producer = producer(on)) {
        producer.initTransactions();
        if (brokers > 1) {
          on.cluster().awaitAllInSync();
        }
        on.use(faults);
        List<String> committed = transactions(producer);
        on.awaitDone();
        on.settle();
        assertThat(read(on, committed.size())).as(plan).isEqualTo(committed);
      }
      assertThat(faults.unfired()).as("%s, %s", plan, faults.passed()).isEmpty();
      assertThat(on.troubles()).as(plan).isEmpty();
    }
  }

  @Test
  void acts_on_jobs_at_a_brokers_step_are_done_by_others_or_told() throws Exception {
    String plan = "kill job@before-append#1; restart broker@after-append#1";
    List<FaultKind> others = new CopyOnWriteArrayList<>();
    try (BrokerFaults on = BrokerFaults.start(config(1), null)) {
      on.use(faults(plan), fired -> others.add(fired.action().kind()));
      createTopic(on, 1);
      try (KafkaProducer<String, String> producer = producer(on)) {
        producer.initTransactions();
        on.settle();
        assertThat(others).containsExactly(FaultKind.KILL_JOB);
        assertThat(on.troubles()).isEmpty();
        on.use(faults("pause job@before-append#1 for 1s"));
        assertThat(transactions(producer)).isNotEmpty();
      }
      assertThat(on.troubles())
          .containsExactly("'pause job for 1s' is nothing that is done to a broker");
    }
  }

  @Test
  void a_broker_passes_every_step() throws Exception {
    Faults faults = Faults.of(FaultPlan.NONE, new SystemClock());
    try (BrokerFaults on = BrokerFaults.start(config(1), faults)) {
      createTopic(on, 1);
      try (KafkaProducer<String, String> producer = producer(on)) {
        producer.initTransactions();
        transactions(producer);
      }
      SortedMap<FaultPoint, Long> passed = faults.passed();
      List<FaultPoint> steps =
          FaultPoints.all().stream()
              .filter(point -> point.place() == FaultPoint.Place.BROKER)
              .toList();
      assertThat(steps).hasSize(8);
      assertThat(passed.keySet()).containsExactlyElementsOf(steps);
      assertThat(passed.get(FaultPoints.AFTER_MARKER)).isEqualTo(TRANSACTIONS);
      assertThat(passed.get(FaultPoints.BEFORE_APPEND))
          .as("each append that begins is done")
          .isEqualTo(passed.get(FaultPoints.AFTER_APPEND));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "before-append[payments-0]#2:failed",
        "after-append[payments-0]#2:failed",
        "before-append[__transaction_state-0]#2:failed",
        "after-append[__transaction_state-0]#2:failed",
        "before-force[payments-0]#2:failed",
        "after-force[payments-0]#2:failed",
        "before-force[__transaction_state-0]#2:failed",
        "before-marker#2:failed",
        "after-marker#2:failed",
        "before-table-write[__transaction_state-0]#2:failed",
        "after-table-write[__transaction_state-0]#3:failed",
        "before-append%5:failed; after-append%7:failed"
      })
  void a_step_that_fails_loses_and_repeats_nothing(String plan) throws Exception {
    holdsUnder(plan, 1);
  }

  @Test
  void a_step_that_is_delayed_takes_that_long() throws Exception {
    try (BrokerFaults on = BrokerFaults.start(config(1), null, null)) {
      createTopic(on, 1);
      try (KafkaProducer<String, String> producer = producer(on)) {
        producer.initTransactions();
        Faults faults = faults("before-marker:delayed=700ms");
        on.use(faults);
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(TOPIC, 0, null, "slow")).get();
        long startNanos = System.nanoTime();
        producer.commitTransaction();
        assertThat(System.nanoTime() - startNanos).isGreaterThan(Duration.ofMillis(700).toNanos());
        assertThat(faults.unfired()).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kill broker@before-append[payments-0]#2",
        "kill broker@after-append[payments-0]#2",
        "kill broker@before-marker[payments-0]#2",
        "kill broker@after-marker[payments-0]#2",
        "kill broker@before-append[__transaction_state-0]#2",
        "kill broker@after-append[__transaction_state-0]#3",
        "kill broker@before-table-write[__transaction_state-0]#4",
        "restart broker@after-append[payments-0]#2",
        "pause broker@before-marker[payments-0]#2 for 800ms",
        "isolate broker@after-append[payments-0]#2 for 800ms",
        "move leader@after-append[payments-0]#2",
        "move leader of payments-0@before-append[__transaction_state-0]#2",
        "move coordinator of teller@before-marker[payments-0]#2",
        "move coordinator@after-append[__transaction_state-0]#2",
        "fill disk@before-append[payments-0]#2 for 500ms",
        "fail force@before-force[payments-0]#2",
        "tear tail@after-append[payments-0]#2",
        "jump clock@before-append[payments-0]#2 by +2h",
        "jump clock@before-append[payments-0]#2 by -30m"
      })
  void acts_on_one_of_three_brokers_lose_and_repeat_nothing(String plan) throws Exception {
    holdsUnder(plan, 3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kill broker@after-append[payments-0]#2",
        "kill broker@before-force[__transaction_state-0]#3",
        "tear tail@after-append[payments-0]#3",
        "tear tail@after-append[__transaction_state-0]#3",
        "fail force@after-append[payments-0]#2",
        "fill disk@before-marker[payments-0]#2 for 500ms"
      })
  void acts_on_a_broker_that_is_alone_lose_and_repeat_nothing(String plan) throws Exception {
    holdsUnder(plan, 1);
  }

  @Test
  void a_broker_that_dies_before_an_append_has_not_done_it() throws Exception {
    try (BrokerFaults on = BrokerFaults.start(config(1), null, null)) {
      createTopic(on, 1);
      KafkaProducer<String, String> producer = producer(on);
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(TOPIC, 0, null, "there")).get();
      on.use(faults("kill broker@before-append[payments-0]"));
      var unused = producer.send(new ProducerRecord<>(TOPIC, 0, null, "not there"));
      Awaitility.await().until(() -> on.cluster().running().isEmpty());
      producer.close(Duration.ZERO);
      on.use(null);
      on.cluster().restart(1);
      assertThat(on.cluster().logEnd(TOPIC, 0)).isEqualTo(1);
    }
  }

  @Test
  void acts_decided_elsewhere_are_done_when_the_call_returns() throws Exception {
    try (BrokerFaults on = BrokerFaults.start(config(2), null, null)) {
      createTopic(on, 2);
      on.cluster().awaitAllInSync();
      int leader = on.cluster().leaderOf(TOPIC, 0);
      FaultFacts facts = FaultFacts.NONE.broker(leader).partition(TOPIC, 0);
      on.perform(action("move leader@Produce"), facts);
      assertThat(on.cluster().leaderOf(TOPIC, 0)).isNotEqualTo(leader);
      on.perform(action("kill broker@Produce"), facts);
      assertThat(on.cluster().running()).doesNotContain(leader);
      on.perform(action("kill broker@Produce"), facts);
      assertThat(on.troubles()).hasSize(1).allMatch(it -> it.contains("down"));
      for (String move : List.of("move leader@Metadata", "move coordinator@Metadata")) {
        on.perform(action(move), FaultFacts.NONE);
        assertThat(on.troubles()).last().asString().startsWith("nothing is moved");
      }
      assertThat(on.troubles()).hasSize(3);
      on.settle();
      assertThat(on.cluster().running()).hasSize(2);
    }
  }

  private static FaultAction action(String plan) {
    return FaultPlan.parse(plan).faults().get(0).action();
  }
}
