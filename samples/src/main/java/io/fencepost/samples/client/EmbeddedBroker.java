package io.fencepost.samples.client;

import io.fencepost.broker.config.ConfigException;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Meters;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A broker in this process. Thread safe. */
public final class EmbeddedBroker implements AutoCloseable {
  private final FencepostServer server;

  private EmbeddedBroker(FencepostServer server) {
    this.server = server;
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
      return new EmbeddedBroker(FencepostServer.start(config.build()));
    } catch (ConfigException | DiskException | UncheckedIOException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
  }

  /** The addresses to give to a client. */
  public String bootstrapServers() {
    return server.bootstrapServers();
  }

  /** Stops the broker cleanly. */
  @Override
  public void close() {
    server.close();
  }
}
