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
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A fresh broker for the tests of one class: the field of a {@code @RegisterExtension}. Where
 * Apache Kafka's jars are missing its tests are skipped.
 */
public final class TestBroker implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
  private final Supplier<Started> start;
  private @Nullable Started started;
  private int begun;
  private int killedAt;

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

  /** Three nodes of Apache Kafka with these settings, numbered from 1. */
  public static TestBroker kafkaCluster(Map<String, String> settings) {
    return new TestBroker(
        () -> {
          assumeTrue(
              ReferenceKafka.isAvailable(),
              "Apache Kafka's jars are not in reference-kafka/target");
          List<ReferenceKafka> nodes = ReferenceKafka.startFresh(3, settings);
          String bootstrap =
              nodes.stream().map(ReferenceKafka::bootstrapServers).collect(Collectors.joining(","));
          return new Started(bootstrap, () -> nodes.forEach(ReferenceKafka::close), nodes);
        });
  }

  /** Kills the last node of a cluster when the test of that number begins, the first being 1. */
  public TestBroker losesANodeAtTest(int number) {
    killedAt = number;
    return this;
  }

  /** As kill -9, of one node of a cluster whose others all run. */
  public void kill(int node) {
    List<ReferenceKafka> nodes = started().nodes();
    if (!nodes.stream().allMatch(ReferenceKafka::isRunning)) {
      throw new IllegalStateException("of " + nodes.size() + " nodes one is dead already");
    }
    nodes.get(node - 1).kill();
  }

  /**
   * Starts a node again that was killed; returns when it accepts, which is before it is in sync.
   */
  public void restart(int node) {
    started().nodes().get(node - 1).start();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    begun++;
    if (begun == killedAt) {
      kill(started().nodes().size());
    }
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
    return started().bootstrapServers();
  }

  private Started started() {
    if (started == null) {
      throw new IllegalStateException("the broker runs only while its class is tested");
    }
    return started;
  }

  private record Started(String bootstrapServers, Runnable stop, List<ReferenceKafka> nodes) {
    Started(String bootstrapServers, Runnable stop) {
      this(bootstrapServers, stop, List.of());
    }
  }
}
