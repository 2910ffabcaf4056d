package io.fencepost.txn.main;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.ConfigException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How to start a {@link FencepostCluster}. Immutable.
 *
 * @param brokers how many; their ids are 1, 2, 3, ...
 * @param common the settings of all brokers
 * @param dir where everything is kept, a directory for each broker and one for the controller; null
 *     for a temporary one that closing deletes
 * @param firstPort of broker 1, the others take the next ones; 0 gives each any free one
 */
public record ClusterConfig(int brokers, BrokerConfig common, @Nullable Path dir, int firstPort) {
  /** Of all brokers. */
  static final String HOST = "localhost";

  /** More would not fit a machine, and their ids not Kafka's range for reserved brokers. */
  private static final int MOST_BROKERS = 100;

  private static final int LAST_PORT = 65_535;
  private static final String REPLICATION = "default.replication.factor";
  private static final String TRANSACTION_REPLICATION = "transaction.state.log.replication.factor";

  /** Three brokers on free ports in a temporary directory. */
  public static ClusterConfig defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {
    private int brokers = 3;
    private BrokerConfig common = BrokerConfig.defaults();
    private @Nullable Path dir;
    private int firstPort;

    private Builder() {}

    /**
     * How many brokers; 3 without this. A cluster that has a directory may grow: topics that are
     * there stay where they are, new ones use all brokers. It never gets smaller.
     */
    public Builder brokers(int brokers) {
      this.brokers = brokers;
      return this;
    }

    /** Keeps everything there, also after closing. */
    public Builder dir(Path dir) {
      this.dir = dir;
      return this;
    }

    /** The port of broker 1 on localhost; the others take the next ones. */
    public Builder firstPort(int port) {
      this.firstPort = port;
      return this;
    }

    /**
     * A setting of all brokers under Kafka's name.
     *
     * @throws ConfigException if the name is unknown (says the nearest known one), the value
     *     impossible, or it is one that each broker of a cluster gets for itself
     */
    public Builder set(String key, String value) {
      switch (key) {
        case "node.id", "listeners", "advertised.listeners", "log.dirs" ->
            throw new ConfigException(
                "The broker config "
                    + key
                    + " is given to each broker of a cluster by the cluster, which has one"
                    + " directory and the port of its first broker instead");
        default -> common = common.with(key, value);
      }
      return this;
    }

    /**
     * @throws ConfigException if the brokers, their ports or the replication do not go together
     */
    public ClusterConfig build() {
      if (brokers < 1 || brokers > MOST_BROKERS) {
        throw new ConfigException(
            "A cluster has 1 to " + MOST_BROKERS + " brokers, not " + brokers);
      }
      if (firstPort < 0 || firstPort > LAST_PORT + 1 - brokers) {
        throw new ConfigException(
            "From port %d on there are no %d ports for the brokers: the last port is %d"
                .formatted(firstPort, brokers, LAST_PORT));
      }
      if (dir != null && dir.toString().isEmpty()) {
        throw new ConfigException("The directory of a cluster must have a name");
      }
      ClusterConfig config = new ClusterConfig(brokers, common, dir, firstPort);
      config.checkReplication();
      return config;
    }
  }

  /** Topics that nobody could create or write to are refused now, not when they are used. */
  private void checkReplication() {
    BrokerConfig config = ofBroker(1, Path.of(""), 0);
    for (String key :
        List.of(REPLICATION, "offsets.topic.replication.factor", TRANSACTION_REPLICATION)) {
      checkLimit(config, key, brokers, "there are so many brokers");
    }
    for (String[] pair :
        new String[][] {
          {"min.insync.replicas", REPLICATION},
          {"transaction.state.log.min.isr", TRANSACTION_REPLICATION}
        }) {
      checkLimit(config, pair[0], config.intOf(pair[1]), pair[1] + " is that");
    }
  }

  private static void checkLimit(BrokerConfig config, String key, int limit, String why) {
    int value = config.intOf(key);
    if (value > limit) {
      throw new ConfigException(
          "The broker config %s is %d, it must be at most %d: %s"
              .formatted(key, value, limit, why));
    }
  }

  /** The settings of one broker: replication as wide as is usual, as far as the brokers suffice. */
  BrokerConfig ofBroker(int id, Path directory, int port) {
    BrokerConfig config =
        common
            .with("node.id", String.valueOf(id))
            .with("log.dirs", directory.toString())
            .with("listeners", "PLAINTEXT://" + HOST + ":" + port);
    String copies = String.valueOf(Math.min(3, brokers));
    config = orDefault(config, REPLICATION, copies);
    config = orDefault(config, "offsets.topic.replication.factor", copies);
    config = orDefault(config, TRANSACTION_REPLICATION, copies);
    return orDefault(config, "transaction.state.log.min.isr", String.valueOf(Math.min(2, brokers)));
  }

  private BrokerConfig orDefault(BrokerConfig config, String key, String value) {
    return common.explicit().containsKey(key) ? config : config.with(key, value);
  }
}
