package io.fencepost.txn.main;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.GroupBounds;
import io.fencepost.broker.disk.FileDisk;
import io.fencepost.broker.main.BrokerServer;
import io.fencepost.broker.port.Meters;
import io.fencepost.txn.api.TransactionExtension;
import io.fencepost.txn.group.api.GroupExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
  private static final Logger LOG = LoggerFactory.getLogger(FencepostServer.class);

  private final BrokerServer broker;
  private final LazyTables tables;
  private final Path directory;
  private final boolean isTemporary;
  private final Meters meters;

  private FencepostServer(
      BrokerServer broker, LazyTables tables, Path directory, boolean isTemporary, Meters meters) {
    this.broker = broker;
    this.meters = meters;
    this.tables = tables;
    this.directory = directory;
    this.isTemporary = isTemporary;
  }

  /** On a free port, in a temporary directory, where flush is os unless it is set. */
  public static FencepostServer start() {
    return start(FencepostConfig.defaults());
  }

  public static FencepostServer start(FencepostConfig config) {
    GroupBounds.check(config.broker());
    Path directory = config.dir();
    boolean isTemporary = directory == null && !config.broker().explicit().containsKey("log.dirs");
    if (directory == null) {
      directory = isTemporary ? temporary() : Path.of(config.broker().text("log.dirs"));
    }
    BrokerConfig settings = config.broker().with("log.dirs", directory.toString());
    // What goes with the process need not outlive the power, unless somebody wants to see it done.
    boolean isForced = !isTemporary || settings.explicit().containsKey("flush");
    if (!isForced) {
      settings = settings.with("flush", "os");
    }
    LazyTables tables = new LazyTables(directory, !isForced);
    boolean isStarted = false;
    try {
      Consumer<String> notices = LOG::warn;
      TransactionExtension transactions = new TransactionExtension(tables, notices);
      GroupExtension groups = new GroupExtension(tables, transactions::transactionGate, notices);
      BrokerServer broker =
          BrokerServer.start(
              settings,
              List.of(transactions, groups),
              isForced ? FileDisk::new : FileDisk::temporary,
              config.meters());
      if (config.meters() instanceof ServerMeters watcher) {
        watcher.watch(new ServerView(broker.services(), transactions, groups));
      }
      Thread opener = new Thread(tables::warmUp, "fencepost-state-" + broker.port());
      opener.setDaemon(true);
      opener.start();
      isStarted = true;
      return new FencepostServer(broker, tables, directory, isTemporary, config.meters());
    } finally {
      if (!isStarted) {
        tables.close();
        if (isTemporary) {
          delete(directory);
        }
      }
    }
  }

  /** What clients put into bootstrap.servers. */
  public String bootstrapServers() {
    return broker.bootstrapServers();
  }

  public int port() {
    return broker.port();
  }

  /** Where everything is kept. */
  public Path dir() {
    return directory;
  }

  /** The broker inside, for tests and figures. */
  public BrokerServer broker() {
    return broker;
  }

  /** Stops serving, saves all state, and deletes the directory if it was a temporary one. */
  @Override
  public void close() {
    if (meters instanceof ServerMeters watcher) {
      watcher.unwatch();
    }
    broker.close();
    tables.close();
    if (isTemporary) {
      delete(directory);
    }
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory("fencepost-");
    } catch (IOException e) {
      throw new UncheckedIOException(
          "No temporary directory can be made; name one with dir(path)", e);
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> found = Files.walk(directory)) {
      List<Path> deepestFirst = new ArrayList<>(found.toList());
      for (int i = deepestFirst.size() - 1; i >= 0; i--) {
        Files.deleteIfExists(deepestFirst.get(i));
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("Temporary directory {} is left behind: {}", directory, e.getMessage());
    }
  }
}
