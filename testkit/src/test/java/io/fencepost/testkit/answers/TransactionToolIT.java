package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import io.fencepost.txn.main.FencepostServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Hanging transactions on this broker: Apache's kafka-transactions tool finds and aborts them. (In
 * Kafka a coordinator that is fenced so leaves the id busy for ever; there is no other way to make
 * one over the wire.)
 */
class TransactionToolIT implements Asked {
  private FencepostServer server;
  private Talk talk;

  @BeforeEach
  void start() {
    assumeTrue(
        ReferenceKafka.isAvailable(), "Apache Kafka's jars are not in reference-kafka/target");
    server = FencepostServer.start();
    talk = connect();
    txn().wakeCoordinators();
  }

  @AfterEach
  void stop() {
    if (server != null) {
      talk.close();
      server.close();
    }
  }

  @Override
  public Talk talk() {
    return talk;
  }

  @Override
  public TxnTalk txn() {
    return new TxnTalk(talk);
  }

  @Override
  public String bootstrapServers() {
    return server.bootstrapServers();
  }

  @Override
  public Talk connect() {
    return Talk.with(bootstrapServers());
  }

  private String tool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    String root = System.getProperty("fencepost.root", System.getProperty("user.dir"));
    command.add(Path.of(root, "reference-kafka", "target", "lib") + "/*");
    command.addAll(
        List.of(
            "org.apache.kafka.tools.TransactionsCommand",
            "--bootstrap-server",
            bootstrapServers()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  @Test
  void find_hanging_and_abort() throws Exception {
    Talk.Topic topic = talk.newTopic(1);
    Producer hanging = Hanging.leave(this, topic);
    Talk.Topic healthy = talk.newTopic(1);
    Producer open = txn().newProducer();
    txn().add(3, open, healthy, 0);
    assertThat(talk.produce(9, open, healthy, 0, 1)).isEqualTo("@0");
    assertThat(tool("list")).contains(open.transactionalId(), "Ongoing");
    String found =
        tool("find-hanging", "--broker-id", "" + brokerId(), "--max-transaction-timeout", "0");
    assertThat(found).contains(topic.name(), "" + hanging.id()).doesNotContain(healthy.name());
    tool("abort", "--topic", topic.name(), "--partition", "0", "--start-offset", "2");
    assertThat(talk.lastStable(topic, 0)).isEqualTo(talk.end(topic, 0));
    assertThat(
            tool("find-hanging", "--broker-id", "" + brokerId(), "--max-transaction-timeout", "0"))
        .doesNotContain(topic.name());
    assertThat(txn().end(3, open, true)).isEqualTo("NONE");
  }

  @Test
  void the_admin_client_aborts_a_hanging_transaction() throws Exception {
    Talk.Topic topic = talk.newTopic(1);
    Hanging.leave(this, topic);
    TopicPartition partition = new TopicPartition(topic.name(), 0);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      ProducerState state =
          admin
              .describeProducers(List.of(partition))
              .partitionResult(partition)
              .get()
              .activeProducers()
              .get(0);
      assertThat(state.currentTransactionStartOffset()).hasValue(2);
      admin
          .abortTransaction(
              new AbortTransactionSpec(
                  partition,
                  state.producerId(),
                  (short) state.producerEpoch(),
                  state.coordinatorEpoch().orElse(0)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
    assertThat(talk.lastStable(topic, 0)).isEqualTo(talk.end(topic, 0));
    assertThat(talk.log(topic, 0)).last().isEqualTo("abort 3-3 e0");
  }

  private int brokerId() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      return admin.describeCluster().controller().get().id();
    }
  }
}
