package io.fencepost.txn.main;

import java.util.function.IntFunction;

/**
 * Starts servers that a test breaks from inside. Nothing of it can be reached by a configuration.
 */
public final class StartForTesting {
  private StartForTesting() {}

  /** As {@link FencepostServer#start(FencepostConfig)}, in this world. */
  public static FencepostServer server(FencepostConfig config, BrokerTrial trial) {
    return FencepostServer.start(config, trial);
  }

  /**
   * As {@link FencepostCluster#start(ClusterConfig)}.
   *
   * @param trials gives each broker its own world, by its id
   */
  public static FencepostCluster cluster(ClusterConfig config, IntFunction<BrokerTrial> trials) {
    return FencepostCluster.start(config, trials);
  }
}
