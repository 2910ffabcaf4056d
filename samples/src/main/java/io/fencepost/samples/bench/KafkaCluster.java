package io.fencepost.samples.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Formatted nodes of Apache Kafka, a process each; a kill is {@code kill -9} of one. */
final class KafkaCluster implements Cluster {
  private final KafkaPrograms programs;
  private final Map<Integer, Path> nodes;
  private final String bootstrap;
  private final long startedNanos = System.nanoTime();
  private final Map<Integer, BrokerProcess> running = new TreeMap<>();
  private Duration spentByKilled = Duration.ZERO;

  private KafkaCluster(KafkaPrograms programs, Map<Integer, Path> nodes, String bootstrap) {
    this.programs = programs;
    this.nodes = nodes;
    this.bootstrap = bootstrap;
  }

  /**
   * Launches all nodes and does not wait for them.
   *
   * @param nodes the formatted directories by broker id
   */
  static KafkaCluster launch(KafkaPrograms programs, Map<Integer, Path> nodes, String bootstrap)
      throws IOException {
    KafkaCluster cluster = new KafkaCluster(programs, nodes, bootstrap);
    for (int id : nodes.keySet()) {
      cluster.restart(id);
    }
    return cluster;
  }

  @Override
  public String bootstrap() {
    return bootstrap;
  }

  @Override
  public Duration age() {
    return Duration.ofNanos(System.nanoTime() - startedNanos);
  }

  @Override
  public Duration cpu() {
    return running.values().stream().map(BrokerProcess::cpu).reduce(spentByKilled, Duration::plus);
  }

  @Override
  public long residentBytes() {
    return running.values().stream().mapToLong(BrokerProcess::residentBytes).sum();
  }

  @Override
  public void kill(int broker) throws InterruptedException {
    BrokerProcess process = running.remove(broker);
    if (process == null) {
      throw new IllegalArgumentException("broker " + broker + " does not run");
    }
    spentByKilled = spentByKilled.plus(process.cpu());
    process.kill();
  }

  @Override
  public void restart(int broker) throws IOException {
    Path home = nodes.get(broker);
    if (home == null || running.containsKey(broker)) {
      throw new IllegalArgumentException("broker " + broker + " is none that was killed");
    }
    running.put(broker, new BrokerProcess(programs.node(home), bootstrap, System.nanoTime()));
  }

  /** Kills all: to stop cleanly, brokers ask a quorum of controllers that goes with them. */
  @Override
  public void close() {
    try {
      for (BrokerProcess process : running.values()) {
        process.kill();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
