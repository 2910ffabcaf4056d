package io.fencepost.samples.client;

import io.fencepost.broker.config.ConfigException;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Meters;
import io.fencepost.txn.main.ClusterConfig;
import io.fencepost.txn.main.FencepostCluster;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A broker, or a cluster of several, in this process. Thread safe. */
public final class EmbeddedBroker implements AutoCloseable {
  private final Runnable close;
  private final String bootstrapServers;

  private EmbeddedBroker(Runnable close, String bootstrapServers) {
    this.close = close;
    this.bootstrapServers = bootstrapServers;
  }

  /**
   * Starts a broker. Port 0 is any free one; without a directory it has one of its own, which goes
   * when it is closed. A port, directory or setting that cannot be used is a {@link
   * UsageException}.
   */
  public static EmbeddedBroker start(
      int port, @Nullable Path dir, SortedMap<String, String> settings) {
    return start(port, dir, settings, Meters.NONE);
  }

  /** The same, and somebody hears what it does. */
  public static EmbeddedBroker start(
      int port, @Nullable Path dir, SortedMap<String, String> settings, Meters meters) {
    if (port != 0 && settings.containsKey("listeners")) {
      throw new UsageException("--port and --set listeners say the same; give one of them");
    }
    try {
      FencepostConfig.Builder config = FencepostConfig.builder().port(port).meters(meters);
      if (dir != null) {
        config.dir(dir);
      }
      settings.forEach(config::set);
      FencepostServer server = FencepostServer.start(config.build());
      return new EmbeddedBroker(server::close, server.bootstrapServers());
    } catch (ConfigException | DiskException | UncheckedIOException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
  }

  /** The same for so many brokers; the port is that of the first one. */
  public static EmbeddedBroker startCluster(
      int brokers, int port, @Nullable Path dir, SortedMap<String, String> settings) {
    try {
      ClusterConfig.Builder config = ClusterConfig.builder().brokers(brokers).firstPort(port);
      if (dir != null) {
        config.dir(dir);
      }
      settings.forEach(config::set);
      FencepostCluster cluster = FencepostCluster.start(config.build());
      return new EmbeddedBroker(cluster::close, cluster.bootstrapServers());
    } catch (ConfigException | DiskException | UncheckedIOException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
  }

  /** The addresses to give to a client. */
  public String bootstrapServers() {
    return bootstrapServers;
  }

  /** Stops the broker cleanly. */
  @Override
  public void close() {
    close.run();
  }
}
