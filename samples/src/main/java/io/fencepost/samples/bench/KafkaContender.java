package io.fencepost.samples.bench;

import java.nio.file.Path;
import java.util.List;

/** Apache Kafka as a KRaft node in one process. */
final class KafkaContender implements Contender {
  private final KafkaPrograms programs;

  KafkaContender(KafkaPrograms programs) {
    this.programs = programs;
  }

  @Override
  public String name() {
    return KafkaPrograms.NAME;
  }

  @Override
  public Brokers start(Path directory) throws Exception {
    List<Integer> ports = KafkaPrograms.freePorts(2);
    programs.format(directory, settings(directory, ports.get(0), ports.get(1)), "--standalone");
    long started = System.nanoTime();
    BrokerProcess broker =
        new BrokerProcess(programs.node(directory), "localhost:" + ports.get(0), started);
    KafkaPrograms.awaitReady(broker.bootstrap(), 1);
    return broker;
  }

  private static List<String> settings(Path directory, int port, int controllerPort) {
    return List.of(
        "process.roles=broker,controller",
        "node.id=1",
        "controller.quorum.bootstrap.servers=localhost:" + controllerPort,
        "controller.listener.names=CONTROLLER",
        "listeners=PLAINTEXT://localhost:" + port + ",CONTROLLER://localhost:" + controllerPort,
        "log.dirs=" + directory.resolve("data"),
        "offsets.topic.replication.factor=1",
        "transaction.state.log.replication.factor=1",
        "transaction.state.log.min.isr=1",
        "share.coordinator.state.topic.replication.factor=1",
        "share.coordinator.state.topic.min.isr=1",
        "group.initial.rebalance.delay.ms=0");
  }
}
