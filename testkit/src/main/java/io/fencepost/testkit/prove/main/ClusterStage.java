package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.fault.main.BrokerFaults;
import io.fencepost.testkit.fault.main.ShortTimes;
import io.fencepost.txn.main.ClusterConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Three brokers with files, which can be broken. */
final class ClusterStage implements Stage {
  static final int BROKERS = 3;

  private final BrokerFaults brokers;

  private ClusterStage(BrokerFaults brokers) {
    this.brokers = brokers;
  }

  /**
   * Starts them.
   *
   * @param directory for their files
   */
  static ClusterStage start(Path directory) {
    ClusterConfig.Builder config = ClusterConfig.builder().brokers(BROKERS).dir(directory);
    ShortTimes.ofCluster().forEach(config::set);
    return new ClusterStage(BrokerFaults.start(config.build(), null, BrokerFaults.RESTART_AFTER));
  }

  @Override
  public String bootstrap() {
    return brokers.cluster().bootstrapServers();
  }

  @Override
  public int replicas() {
    return BROKERS;
  }

  @Override
  public void attach(Faults faults, Consumer<Fired> jobs) {
    brokers.use(faults, jobs);
  }

  @Override
  public void act(Fired fired) {
    brokers.perform(fired.action(), fired.facts());
  }

  @Override
  public List<String> troubles() {
    return brokers.troubles();
  }

  @Override
  public void settle() {
    brokers.settle();
  }

  @Override
  public void close() {
    brokers.close();
  }
}
