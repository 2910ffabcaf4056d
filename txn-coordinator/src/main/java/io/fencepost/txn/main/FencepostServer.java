package io.fencepost.txn.main;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.GroupBounds;
import io.fencepost.broker.disk.FileDisk;
import io.fencepost.broker.main.BrokerServer;
import io.fencepost.broker.main.BrokerWorld;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Meters;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A broker with transaction and group coordinators, complete for Kafka clients. It serves when
 * {@link #start} returns. Any number may run in one JVM. Thread-safe.
 *
 * <pre>{@code
 * try (FencepostServer server = FencepostServer.start()) {
 *   properties.put("bootstrap.servers", server.bootstrapServers());
 * }
 * }</pre>
 */
public final class FencepostServer implements AutoCloseable {
  private final Node node;
  private final Path directory;
  private final boolean isTemporary;
  private final Meters meters;

  private FencepostServer(Node node, Path directory, boolean isTemporary, Meters meters) {
    this.node = node;
    this.meters = meters;
    this.directory = directory;
    this.isTemporary = isTemporary;
  }

  /** On a free port, in a temporary directory, where flush is os unless it is set. */
  public static FencepostServer start() {
    return start(FencepostConfig.defaults());
  }

  public static FencepostServer start(FencepostConfig config) {
    return start(config, null);
  }

  /** In a world that a test breaks; null for the real one. */
  static FencepostServer start(FencepostConfig config, @Nullable BrokerTrial trial) {
    GroupBounds.check(config.broker());
    Path directory = config.dir();
    boolean isTemporary = directory == null && !config.broker().explicit().containsKey("log.dirs");
    if (directory == null) {
      directory = isTemporary ? Directories.temporary() : Path.of(config.broker().text("log.dirs"));
    }
    if (Files.exists(directory.resolve(FencepostCluster.CONTROLLER))) {
      throw new DiskException(
          "The directory "
              + directory
              + " is that of a cluster: start all its brokers, or use one of its directories "
              + FencepostCluster.BROKER
              + "N to look at it");
    }
    BrokerConfig settings = config.broker().with("log.dirs", directory.toString());
    // What goes with the process need not outlive the power, unless somebody wants to see it done.
    boolean isForced = !isTemporary || settings.explicit().containsKey("flush");
    if (!isForced) {
      settings = settings.with("flush", "os");
    }
    boolean isStarted = false;
    try {
      Function<Path, Disk> disks = isForced ? FileDisk::new : FileDisk::temporary;
      BrokerWorld world =
          trial == null
              ? BrokerWorld.on(disks)
              : trial.world(path -> trial.disk(disks.apply(path)));
      Node.Home home = new Node.Home(world, !isForced, config.meters());
      Node node = Node.start(settings, directory, home, null);
      if (config.meters() instanceof ServerMeters watcher) {
        watcher.watch(node.view());
      }
      isStarted = true;
      return new FencepostServer(node, directory, isTemporary, config.meters());
    } finally {
      if (!isStarted && isTemporary) {
        Directories.delete(directory);
      }
    }
  }

  /** What clients put into bootstrap.servers. */
  public String bootstrapServers() {
    return node.broker().bootstrapServers();
  }

  public int port() {
    return node.broker().port();
  }

  /** Where everything is kept. */
  public Path dir() {
    return directory;
  }

  /** The broker inside, for tests and figures. */
  public BrokerServer broker() {
    return node.broker();
  }

  /** Stops serving, saves all state, and deletes the directory if it was a temporary one. */
  @Override
  public void close() {
    if (meters instanceof ServerMeters watcher) {
      watcher.unwatch();
    }
    node.stop();
    if (isTemporary) {
      Directories.delete(directory);
    }
  }
}
