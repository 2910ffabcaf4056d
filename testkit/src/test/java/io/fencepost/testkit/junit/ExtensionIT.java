package io.fencepost.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.fencepost.txn.main.FencepostCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Runs classes of its own in JUnit, as some of them fail. */
class ExtensionIT {
  private static final List<TestCluster> SEEN = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  @Fencepost(
      topics = {"one", "many:5"},
      partitions = 2,
      settings = "log.retention.ms=12345")
  static class OnClass {
    private final TestCluster ofConstructor;

    OnClass(TestCluster cluster) {
      ofConstructor = cluster;
    }

    @BeforeAll
    static void before(TestCluster cluster) {
      SEEN.add(cluster);
    }

    @Test
    void all_kinds_of_parameters(
        TestCluster cluster,
        FencepostCluster brokers,
        @BootstrapServers String servers,
        Admin admin,
        Producer<String, Integer> producer,
        KafkaProducer<byte[], byte[]> bytes,
        @ReadCommitted("one") Consumer<String, Integer> reader,
        @ReadUncommitted(group = "g") KafkaConsumer<String, String> other)
        throws Exception {
      assertThat(cluster).isSameAs(ofConstructor).isSameAs(SEEN.get(0));
      assertThat(brokers.bootstrapServers()).isEqualTo(servers);
      assertThat(admin.describeTopics(List.of("one", "many")).allTopicNames().get())
          .hasEntrySatisfying("one", it -> assertThat(it.partitions()).hasSize(2))
          .hasEntrySatisfying("many", it -> assertThat(it.partitions()).hasSize(5));
      producer.send(new ProducerRecord<>("one", "k", 7)).get();
      bytes.send(new ProducerRecord<>("many", new byte[] {1})).get();
      List<Integer> values = new ArrayList<>();
      while (values.isEmpty()) {
        reader.poll(Duration.ofMillis(100)).forEach(it -> values.add(it.value()));
      }
      assertThat(values).containsExactly(7);
      assertThat(other.groupMetadata().groupId()).isEqualTo("g");
      assertThat(reader.groupMetadata().groupId()).startsWith("test-");
    }

    @Test
    void settings_of_a_client(
        @Settings({"transactional.id=mine", "linger.ms=3"}) Producer<String, String> producer,
        TestCluster cluster) {
      producer.initTransactions();
      producer.beginTransaction();
      Future<RecordMetadata> sent = producer.send(new ProducerRecord<>("settings", "v"));
      producer.commitTransaction();
      assertThat(sent).isDone();
      assertThat(cluster.awaitCommitted("settings", 1))
          .extracting(ConsumerRecord::value)
          .containsExactly("v");
    }

    @ParameterizedTest
    @ValueSource(strings = "given")
    void beside_other_parameters(String given, @BootstrapServers String servers) {
      assertThat(given).isEqualTo("given");
      assertThat(servers).startsWith("localhost:");
    }

    @Nested
    class Inside {
      @Test
      void has_the_cluster_of_the_class_around_it(TestCluster cluster) {
        assertThat(cluster).isSameAs(ofConstructor);
      }

      @Test
      @Fencepost
      void but_one_of_its_own_if_it_says_so(TestCluster cluster) {
        assertThat(cluster).isNotSameAs(ofConstructor);
        SEEN.add(cluster);
      }
    }
  }

  @Test
  void a_class_has_one_cluster_and_every_kind_of_parameter() {
    passes(OnClass.class, 5);
    assertThat(SEEN).hasSize(2).allSatisfy(ExtensionIT::assertClosed);
  }

  static class OnMethods {
    @Test
    @Fencepost(brokers = 3)
    void first(TestCluster cluster, Producer<String, String> producer) {
      SEEN.add(cluster);
      assertThat(cluster.brokers().brokers()).hasSize(3);
    }

    @Test
    @Fencepost
    void second(TestCluster cluster) {
      SEEN.add(cluster);
      throw new IllegalStateException("on purpose");
    }
  }

  @Test
  void a_method_has_one_of_its_own_that_is_closed_though_it_fails() {
    EngineExecutionResults results = run(OnMethods.class, Map.of());
    results.testEvents().assertStatistics(it -> it.succeeded(1).failed(1));
    assertThat(SEEN).hasSize(2).doesNotHaveDuplicates().allSatisfy(ExtensionIT::assertClosed);
  }

  @Fencepost
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  static class InParallel {
    InParallel(TestCluster cluster) {
      SEEN.add(cluster);
    }

    @Test
    @Fencepost
    void one(TestCluster cluster) {
      use(cluster);
    }

    @Test
    @Fencepost
    void two(TestCluster cluster) {
      use(cluster);
    }

    @Test
    void three(TestCluster cluster) {
      assertThat(SEEN.get(0)).isSameAs(cluster);
      use(cluster);
    }

    private static void use(TestCluster cluster) {
      SEEN.add(cluster);
      cluster.createTopic("same", 1).log("same").plain(cluster.bootstrapServers());
      assertThat(cluster.awaitCommitted("same", 1))
          .extracting(ConsumerRecord::value)
          .containsExactly(cluster.bootstrapServers());
    }
  }

  @Test
  void tests_that_run_at_the_same_time_do_not_meet() {
    EngineExecutionResults results =
        run(
            InParallel.class,
            Map.of(
                "junit.jupiter.execution.parallel.enabled", "true",
                "junit.jupiter.execution.parallel.config.strategy", "fixed",
                "junit.jupiter.execution.parallel.config.fixed.parallelism", "3"));
    results.testEvents().assertStatistics(it -> it.succeeded(3).failed(0));
    assertThat(new HashSet<>(SEEN)).hasSize(3).allSatisfy(ExtensionIT::assertClosed);
  }

  @Fencepost(bootstrapProperty = "fencepost.test.servers")
  static class WithProperty {
    @Test
    void it_is_set(@BootstrapServers String servers) {
      assertThat(System.getProperty("fencepost.test.servers")).isEqualTo(servers);
    }

    @Test
    @Fencepost(bootstrapProperty = "fencepost.test.servers")
    void two_can_not_have_it() {}
  }

  @Test
  void a_system_property_is_that_of_one_test_at_a_time_and_restored() {
    System.setProperty("fencepost.test.servers", "before");
    try {
      assertThat(messages(run(WithProperty.class, Map.of())))
          .containsExactly(
              "system property fencepost.test.servers is that of "
                  + WithProperty.class.getName()
                  + ", which runs at the same time as "
                  + WithProperty.class.getName()
                  + ": run one after the other with @ResourceLock(\"fencepost.test.servers\"), or"
                  + " take a @BootstrapServers String parameter");
      assertThat(System.getProperty("fencepost.test.servers")).isEqualTo("before");
    } finally {
      System.clearProperty("fencepost.test.servers");
    }
  }

  @Fencepost
  static class Refused {
    @Test
    void a_address(@BootstrapServers int servers) {}

    @Test
    void b_isolation(@ReadCommitted Producer<String, String> producer) {}

    @Test
    void c_both(@ReadCommitted @ReadUncommitted Consumer<String, String> consumer) {}

    @Test
    void d_type(Producer<String, List<String>> producer) {}

    @Test
    void e_other(org.apache.kafka.clients.consumer.OffsetAndMetadata offset) {}

    @Test
    void f_settings(@Settings("acks") Producer<String, String> producer) {}
  }

  @Test
  void what_a_parameter_can_not_be_is_refused_with_what_it_can_be() {
    List<String> messages = messages(run(Refused.class, Map.of()));
    assertThat(messages.get(0))
        .isEqualTo(
            """
            parameter int servers: the addresses are a String
            A parameter of a @Fencepost test can be
              TestCluster                                    the cluster: topics, logs, waits
              FencepostCluster                               its brokers, to be stopped, killed or cut off
              @BootstrapServers String                       its addresses
              Producer<K, V> or KafkaProducer<K, V>
              Consumer<K, V> or KafkaConsumer<K, V>          with @ReadCommitted(TOPICS) or @ReadUncommitted(TOPICS)
              Admin or AdminClient
            where K and V are String, byte[], ByteBuffer, Bytes, Short, Integer, Long, Float, Double,\
             UUID or Void, or any type whose serializer @Settings("value.serializer=CLASS") names\
            """);
    assertThat(messages.stream().map(it -> it.lines().findFirst().orElseThrow()))
        .containsExactly(
            "parameter int servers: the addresses are a String",
            "parameter org.apache.kafka.clients.producer.Producer<java.lang.String,"
                + " java.lang.String> producer: only a Consumer has an isolation level",
            "parameter org.apache.kafka.clients.consumer.Consumer<java.lang.String,"
                + " java.lang.String> consumer: a Consumer has one isolation level",
            "parameter org.apache.kafka.clients.producer.Producer<java.lang.String,"
                + " java.util.List<java.lang.String>> producer: kafka-clients has no serializer for"
                + " java.util.List<java.lang.String>; name one:"
                + " @Settings(\"value.serializer=CLASS\")",
            "parameter org.apache.kafka.clients.consumer.OffsetAndMetadata offset:"
                + " OffsetAndMetadata is none of these",
            "@Settings of org.apache.kafka.clients.producer.Producer<java.lang.String,"
                + " java.lang.String> producer: 'acks' is not written name=value");
  }

  @Fencepost(topics = "a:x")
  static class WrongTopic {
    @Test
    void never() {}
  }

  @Fencepost(settings = "log.retention.msec=1")
  static class WrongSetting {
    @Test
    void never() {}
  }

  @ExtendWith(FencepostExtension.class)
  static class WithoutAnnotation {
    @Test
    void never(TestCluster cluster) {}
  }

  @Test
  void what_can_not_be_started_says_what_to_write() {
    assertThat(messages(run(WrongTopic.class, Map.of())))
        .containsExactly(
            "@Fencepost(topics = \"a:x\"): 'x' is no number of partitions; it is written NAME or"
                + " NAME:6");
    assertThat(messages(run(WrongSetting.class, Map.of())))
        .singleElement()
        .asString()
        .contains("log.retention.msec")
        .contains("log.retention.ms");
    assertThat(messages(run(WithoutAnnotation.class, Map.of())))
        .singleElement()
        .asString()
        .contains("put it on the class to have one in constructors and @BeforeAll methods");
  }

  private static void assertClosed(TestCluster cluster) {
    assertThat(cluster.brokers().dir()).doesNotExist();
  }

  private static void passes(Class<?> type, int tests) {
    EngineExecutionResults results = run(type, Map.of());
    assertThat(messages(results)).isEmpty();
    results.testEvents().assertStatistics(it -> it.succeeded(tests).failed(0).skipped(0));
  }

  private static List<String> messages(EngineExecutionResults results) {
    return results.allEvents().failed().stream()
        .sorted(java.util.Comparator.comparing(it -> it.getTestDescriptor().getDisplayName()))
        .map(ExtensionIT::message)
        .collect(Collectors.toList());
  }

  private static String message(Event event) {
    Throwable failure =
        event
            .getRequiredPayload(org.junit.platform.engine.TestExecutionResult.class)
            .getThrowable()
            .orElseThrow();
    while (failure.getCause() != null && failure.getMessage().startsWith("Failed to resolve")) {
      failure = failure.getCause();
    }
    return failure.getMessage();
  }

  private static EngineExecutionResults run(Class<?> type, Map<String, String> settings) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(type))
        .configurationParameters(settings)
        .execute();
  }
}
