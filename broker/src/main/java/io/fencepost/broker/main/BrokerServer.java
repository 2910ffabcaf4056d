package io.fencepost.broker.main;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.ConfigKey;
import io.fencepost.broker.core.BrokerCore;
import io.fencepost.broker.core.CoreExtension;
import io.fencepost.broker.core.CorePorts;
import io.fencepost.broker.core.CoreServices;
import io.fencepost.broker.core.Membership;
import io.fencepost.broker.disk.DirectoryLock;
import io.fencepost.broker.net.Listener;
import io.fencepost.broker.net.ListenerSettings;
import io.fencepost.broker.port.Meters;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running broker: the core with real files, threads and sockets. No static state: any number may
 * run in one JVM, each with its own directory and port. Thread-safe.
 */
public final class BrokerServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerServer.class);
  private static final long DEFAULT_STOP_MS = 5_000;
  private static final long KILL_MS = 1_000;

  private final BrokerCore core;
  private final Listener listener;
  private final ThreadScheduler scheduler;
  private final DirectoryLock lock;
  private final Endpoint advertised;
  private final AtomicBoolean stopping = new AtomicBoolean();

  private BrokerServer(
      BrokerCore core,
      Listener listener,
      ThreadScheduler scheduler,
      DirectoryLock lock,
      Endpoint advertised) {
    this.core = core;
    this.listener = listener;
    this.scheduler = scheduler;
    this.lock = lock;
    this.advertised = advertised;
  }

  /**
   * Starts a broker on the directory {@code log.dirs} and the address {@code listeners}; it serves
   * when this returns. Throws if the directory or the address is taken or unusable.
   */
  public static BrokerServer start(BrokerConfig config, List<CoreExtension> extensions) {
    return start(config, extensions, BrokerWorld.real(), Meters.NONE, null);
  }

  /**
   * The same, on a world of this kind.
   *
   * @param meters hears what the broker does
   * @param membership how it belongs to a cluster; null if it is alone
   */
  public static BrokerServer start(
      BrokerConfig config,
      List<CoreExtension> extensions,
      BrokerWorld world,
      Meters meters,
      @Nullable Membership membership) {
    long startNanos = System.nanoTime();
    List<String> directories = ConfigKey.elements(config.text("log.dirs"));
    if (directories.size() != 1) {
      throw new io.fencepost.broker.config.ConfigException(
          "The broker config log.dirs must be one directory, it is " + directories);
    }
    Path directory = Path.of(directories.get(0)).toAbsolutePath();
    Endpoint wanted = Endpoint.listener(config);
    DirectoryLock lock = DirectoryLock.acquire(directory);
    ThreadScheduler scheduler = null;
    Listener listener = null;
    try {
      listener = Listener.bind(wanted.host(), wanted.port(), ListenerSettings.of(config), meters);
      scheduler = new ThreadScheduler("fencepost-" + listener.port());
      CorePorts ports =
          new CorePorts(
              world.clock(),
              scheduler,
              new SecureEntropy(),
              world.disks().apply(directory),
              LOG::warn,
              meters,
              world.steps());
      BrokerCore core =
          membership == null
              ? BrokerCore.open(ports, config, extensions)
              : BrokerCore.open(ports, config, extensions, membership);
      Endpoint bound = new Endpoint(wanted.host(), listener.port());
      Endpoint advertised = Endpoint.advertised(config, bound);
      core.start(advertised.host(), advertised.port());
      listener.start(world.frames().apply(core.frames()));
      LOG.info(
          "Broker {} of cluster {} serves {} from {}, {} topics, started in {} ms",
          core.services().brokerId(),
          core.services().cluster().state().clusterId(),
          advertised,
          directory,
          core.services().cluster().state().topics().size(),
          (System.nanoTime() - startNanos) / 1_000_000);
      return new BrokerServer(core, listener, scheduler, lock, advertised);
    } catch (RuntimeException | Error failed) {
      if (listener != null) {
        listener.stop(0);
      }
      if (scheduler != null) {
        scheduler.stop(0);
      }
      lock.close();
      throw failed;
    }
  }

  /** What clients put into bootstrap.servers. */
  public String bootstrapServers() {
    return advertised.toString();
  }

  public int port() {
    return listener.port();
  }

  /** The broker without its sockets, for tests and figures. */
  public BrokerCore core() {
    return core;
  }

  /** Where this broker's sockets are, for tests and figures. */
  public Listener listener() {
    return listener;
  }

  /** What is inside, for those who watch the broker. */
  public CoreServices services() {
    return core.services();
  }

  /** Stops within about the time given: requests in process may finish, all state is saved. */
  public void stop(long timeoutMs) {
    if (!stopping.compareAndSet(false, true)) {
      return;
    }
    try {
      listener.stop(Math.min(timeoutMs / 2, 500));
      core.stop();
    } finally {
      scheduler.stop(timeoutMs / 2);
      lock.close();
    }
    LOG.info("Broker on port {} has stopped", advertised.port());
  }

  /**
   * Ends at once, as a process that is killed: nobody is answered any more, nothing is saved. The
   * disk should be dead already, as threads may still be at work.
   */
  public void kill() {
    if (!stopping.compareAndSet(false, true)) {
      return;
    }
    try {
      listener.stop(0);
      core.kill();
    } finally {
      scheduler.stop(KILL_MS);
      lock.close();
    }
    LOG.info("Broker on port {} was killed", advertised.port());
  }

  @Override
  public void close() {
    stop(DEFAULT_STOP_MS);
  }
}
