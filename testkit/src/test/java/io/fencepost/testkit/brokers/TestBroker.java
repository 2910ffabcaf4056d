package io.fencepost.testkit.brokers;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A fresh broker for the tests of one class: the field of a {@code @RegisterExtension}. Where
 * Apache Kafka's jars are missing its tests are skipped.
 */
public final class TestBroker implements BeforeAllCallback, AfterAllCallback {
  private final Supplier<Started> start;
  private @Nullable Started started;

  private TestBroker(Supplier<Started> start) {
    this.start = start;
  }

  /** Fencepost with these settings, in this JVM. */
  public static TestBroker fencepost(Map<String, String> settings) {
    return new TestBroker(
        () -> {
          FencepostConfig.Builder config = FencepostConfig.builder();
          settings.forEach(config::set);
          FencepostServer server = FencepostServer.start(config.build());
          return new Started(server.bootstrapServers(), server::close);
        });
  }

  /** Apache Kafka with these settings, in a process of its own. */
  public static TestBroker kafka(Map<String, String> settings) {
    return new TestBroker(
        () -> {
          assumeTrue(
              ReferenceKafka.isAvailable(),
              "Apache Kafka's jars are not in reference-kafka/target");
          ReferenceKafka kafka = ReferenceKafka.startFresh(settings);
          return new Started(kafka.bootstrapServers(), kafka::close);
        });
  }

  /** Three nodes of Apache Kafka with these settings, of which {@link #killOne} kills the last. */
  public static TestBroker kafkaCluster(Map<String, String> settings) {
    return new TestBroker(
        () -> {
          assumeTrue(
              ReferenceKafka.isAvailable(),
              "Apache Kafka's jars are not in reference-kafka/target");
          List<ReferenceKafka> nodes = ReferenceKafka.startFresh(3, settings);
          String bootstrap =
              nodes.stream().map(ReferenceKafka::bootstrapServers).collect(Collectors.joining(","));
          return new Started(
              bootstrap, () -> nodes.forEach(ReferenceKafka::close), () -> nodes.get(2).kill());
        });
  }

  /** As kill -9, of one node of a cluster. */
  public void killOne() {
    if (started == null) {
      throw new IllegalStateException("no node runs");
    }
    started.kill().run();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    started = start.get();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (started != null) {
      started.stop().run();
    }
  }

  public String bootstrapServers() {
    if (started == null) {
      throw new IllegalStateException("the broker runs only while its class is tested");
    }
    return started.bootstrapServers();
  }

  private record Started(String bootstrapServers, Runnable stop, Runnable kill) {
    Started(String bootstrapServers, Runnable stop) {
      this(
          bootstrapServers,
          stop,
          () -> {
            throw new IllegalStateException("there is only this one broker");
          });
    }
  }
}
