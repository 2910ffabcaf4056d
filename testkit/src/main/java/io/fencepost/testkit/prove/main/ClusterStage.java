package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.fault.main.BrokerFaults;
import io.fencepost.txn.main.ClusterConfig;
import java.nio.file.Path;

/** Three brokers with files, which can be broken. */
final class ClusterStage implements Stage {
  private static final int BROKERS = 3;

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
    ClusterConfig config =
        ClusterConfig.builder()
            .brokers(BROKERS)
            .dir(directory)
            .set("min.insync.replicas", "2")
            .set("replica.lag.time.max.ms", "500")
            .set("broker.session.timeout.ms", "500")
            .set("broker.heartbeat.interval.ms", "100")
            .set("group.min.session.timeout.ms", "500")
            .set("group.initial.rebalance.delay.ms", "0")
            .set("transaction.abort.timed.out.transaction.cleanup.interval.ms", "200")
            .set("offsets.topic.num.partitions", "5")
            .set("transaction.state.log.num.partitions", "5")
            .build();
    return new ClusterStage(BrokerFaults.start(config, null, BrokerFaults.RESTART_AFTER));
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
  public void attach(Faults faults) {
    brokers.use(faults);
  }

  @Override
  public void act(Fired fired) {
    brokers.perform(fired.action(), fired.facts());
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
