package io.fencepost.testkit.jobs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** {@link OutageBehaviour} on one node of Apache Kafka. */
@Tag("kafka")
class OutageOnKafkaIT extends OutageBehaviour {
  @Override
  KillableBroker start(Path directory) {
    assumeTrue(
        ReferenceKafka.isAvailable(), "Apache Kafka's jars are not in reference-kafka/target");
    return new Node(ReferenceKafka.startFresh(Map.of(JobBehaviour.SHORTEST_SESSION, "1000")));
  }

  private record Node(ReferenceKafka kafka) implements KillableBroker {
    @Override
    public String bootstrapServers() {
      return kafka.bootstrapServers();
    }

    @Override
    public void kill() {
      kafka.kill();
    }

    @Override
    public void stop() {
      kafka.stop();
    }

    @Override
    public void restart() {
      kafka.start();
    }

    /**
     * One node of Kafka 4.4 that ends between a commit and its markers may call the transaction
     * complete without writing them (it knows of no leader then): output and offsets stay open.
     */
    @Override
    public void excuse(Topics topics) throws Exception {
      List<String> hanging = topics.hangingTransactions();
      assumeTrue(
          hanging.isEmpty(), () -> "Apache Kafka ended transactions without markers: " + hanging);
    }

    @Override
    public void close() {
      kafka.close();
    }
  }
}
