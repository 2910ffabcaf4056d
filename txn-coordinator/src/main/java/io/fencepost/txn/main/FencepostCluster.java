package io.fencepost.txn.main;

import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.core.Membership;
import io.fencepost.broker.disk.DirectoryLock;
import io.fencepost.broker.disk.FileDisk;
import io.fencepost.broker.disk.MortalDisk;
import io.fencepost.broker.main.BrokerServer;
import io.fencepost.broker.main.BrokerWorld;
import io.fencepost.broker.main.SecureEntropy;
import io.fencepost.broker.main.ThreadScheduler;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.replica.Links;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.ids.ProducerIds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several brokers in one JVM that clients take for a Kafka cluster, made to be broken on purpose:
 * each has its own port, directory and replicas, and one controller decides who leads. Brokers are
 * numbered from 1. Thread-safe.
 *
 * <pre>{@code
 * try (FencepostCluster cluster = FencepostCluster.start(3)) {
 *   properties.put("bootstrap.servers", cluster.bootstrapServers());
 *   ...
 *   int leader = cluster.leaderOf("payments", 0);
 *   cluster.kill(leader);
 *   cluster.awaitLeader("payments", 0);
 *   cluster.restart(leader);
 *   cluster.awaitIsr("payments", 0, 1, 2, 3);
 * }
 * }</pre>
 *
 * <p>Everything is on one machine: what has to outlive it must not be kept here.
 */
public final class FencepostCluster implements AutoCloseable {
  /** How long the awaits wait at most. */
  public static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(FencepostCluster.class);
  private static final long FENCE_RETRY_MS = 500;
  static final String CONTROLLER = "controller";
  static final String BROKER = "broker-";

  private final ClusterConfig config;
  private final Path directory;
  private final boolean isTemporary;
  private final DirectoryLock lock;
  private final Links links = new Links();
  private final Controller controller;
  private final String clusterId;
  private final ProducerIds ids;
  private final ThreadScheduler scheduler;
  private final TreeMap<Integer, Seat> seats = new TreeMap<>();

  /**
   * What ends when a broker is cut off from the controller for too long. Guarded by itself, so that
   * none ends after a {@link #heal}.
   */
  private final TreeMap<Integer, Scheduler.Timer> sessions = new TreeMap<>();

  /** Cut off from everybody. Guarded by the field above. */
  private final TreeSet<Integer> isolated = new TreeSet<>();

  /** Brokers that are gone and still count, and whether they lost records. */
  private final Map<Integer, Boolean> unfenced = new ConcurrentSkipListMap<>();

  private final Map<Integer, Node> nodes = new ConcurrentSkipListMap<>();
  private final ClusterWatch watch;

  /** What stays of a broker from one life to the next. */
  private static final class Seat {
    private final Path directory;
    private final MortalDisk disk;
    private final @Nullable BrokerTrial trial;

    /** Of its first life on; read by whoever asks for the address. */
    private volatile int port;

    /** While the broker is down. */
    private @Nullable PortHold hold;

    Seat(Path directory, Disk disk, @Nullable BrokerTrial trial, int port) {
      this.directory = directory;
      this.disk = new MortalDisk(trial == null ? disk : trial.disk(disk));
      this.trial = trial;
      this.port = port;
    }

    BrokerWorld world() {
      return trial == null ? BrokerWorld.on(path -> disk) : trial.world(path -> disk);
    }

    void die() {
      disk.die();
      if (trial != null) {
        trial.strikeDead();
      }
    }

    void holdPort() {
      hold = PortHold.take(ClusterConfig.HOST, port);
    }

    void releasePort() {
      PortHold held = hold;
      hold = null;
      if (held != null) {
        held.close();
      }
    }
  }

  private FencepostCluster(
      ClusterConfig config,
      Path directory,
      DirectoryLock lock,
      IntFunction<? extends @Nullable BrokerTrial> trials) {
    this.config = config;
    this.directory = directory;
    this.isTemporary = config.dir() == null;
    this.lock = lock;
    Disk own = disk(directory.resolve(CONTROLLER));
    Entropy entropy = new SecureEntropy();
    for (int id = 1; id <= config.brokers(); id++) {
      Path home = directory.resolve(BROKER + id);
      int port = config.firstPort() == 0 ? 0 : config.firstPort() + id - 1;
      seats.put(id, new Seat(home, disk(home), trials.apply(id), port));
    }
    this.clusterId = Membership.clusterId(own, entropy);
    BrokerConfig common = config.ofBroker(1, directory, 0);
    this.controller = Controller.open(own, entropy, common, clusterId, seats.keySet(), LOG::warn);
    this.watch = new ClusterWatch(controller, nodes);
    this.ids = new ProducerIds(own);
    this.scheduler = new ThreadScheduler("fencepost-cluster");
  }

  private static void checkDirectory(Path directory, int brokers) {
    String missing = ClusterDirectory.missing(directory);
    if (missing != null) {
      throw new DiskException(
          "The cluster in "
              + directory
              + " has lost "
              + missing
              + ", which names all topics: restore it, or use an empty directory");
    }
    if (Files.exists(directory.resolve("meta.properties"))) {
      throw new DiskException(
          "The directory " + directory + " is that of a broker that is alone, not of a cluster");
    }
    if (Files.exists(directory.resolve(BROKER + (brokers + 1)))) {
      throw new DiskException(
          "The cluster in " + directory + " has more than " + brokers + " brokers: start them all");
    }
  }

  private Disk disk(Path home) {
    return isTemporary ? FileDisk.temporary(home) : new FileDisk(home);
  }

  /** So many brokers on free ports in a temporary directory. */
  public static FencepostCluster start(int brokers) {
    return start(ClusterConfig.builder().brokers(brokers).build());
  }

  /** All brokers serve when this returns. */
  public static FencepostCluster start(ClusterConfig config) {
    return start(config, id -> null);
  }

  /** In worlds that a test breaks; null for the real one. */
  static FencepostCluster start(
      ClusterConfig config, IntFunction<? extends @Nullable BrokerTrial> trials) {
    Path dir = config.dir();
    Path directory = dir == null ? Directories.temporary() : dir.toAbsolutePath();
    checkDirectory(directory, config.brokers());
    DirectoryLock lock = DirectoryLock.acquire(directory);
    FencepostCluster cluster = null;
    boolean isStarted = false;
    try {
      cluster = new FencepostCluster(config, directory, lock, trials);
      cluster.seats.keySet().forEach(cluster::startNode);
      isStarted = true;
      return cluster;
    } finally {
      if (!isStarted && cluster != null) {
        cluster.close();
      } else if (!isStarted) {
        lock.close();
        if (dir == null) {
          Directories.delete(directory);
        }
      }
    }
  }

  private void startNode(int broker) {
    Seat seat = seat(broker);
    seat.disk.revive();
    BrokerConfig settings = config.ofBroker(broker, seat.directory, seat.port);
    Membership membership =
        new Membership(controller, links.of(broker), peer -> links.join(broker, peer), clusterId);
    boolean wasHeld = seat.hold != null;
    seat.releasePort();
    boolean isStarted = false;
    try {
      Node node =
          Node.start(
              settings,
              seat.directory,
              new Node.Home(seat.world(), isTemporary, Meters.NONE),
              new Node.Place(membership, ids));
      isStarted = true;
      seat.port = node.broker().port();
      nodes.put(broker, node);
    } finally {
      if (wasHeld && !isStarted) {
        seat.holdPort();
      }
    }
  }

  private Seat seat(int broker) {
    Seat seat = seats.get(broker);
    if (seat == null) {
      throw new IllegalArgumentException(
          "There is no broker " + broker + " in this cluster, only " + seats.keySet());
    }
    return seat;
  }

  private Node running(int broker) {
    seat(broker);
    Node node = nodes.get(broker);
    if (node == null) {
      throw new IllegalStateException("Broker " + broker + " is down: restart it first");
    }
    return node;
  }

  // Addresses

  /**
   * What clients put into bootstrap.servers: all brokers, whether they are up or not.
   *
   * <pre>{@code
   * properties.put("bootstrap.servers", cluster.bootstrapServers());
   * }</pre>
   */
  public String bootstrapServers() {
    return seats.keySet().stream().map(this::bootstrapServers).collect(Collectors.joining(","));
  }

  /**
   * The address of one broker; it stays the same over a restart. While the broker is down, the
   * cluster keeps the port, so that no other server is taken for it.
   *
   * <pre>{@code
   * properties.put("bootstrap.servers", cluster.bootstrapServers(2));
   * }</pre>
   */
  public String bootstrapServers(int broker) {
    return ClusterConfig.HOST + ":" + seat(broker).port;
  }

  /**
   * Ids of all brokers, up or not.
   *
   * <pre>{@code
   * cluster.brokers().forEach(broker -> cluster.lag(broker, Duration.ofMillis(5)));
   * }</pre>
   */
  public SortedSet<Integer> brokers() {
    return new TreeSet<>(seats.keySet());
  }

  /**
   * Ids of those that are up.
   *
   * <pre>{@code
   * cluster.kill(2);
   * assertThat(cluster.running()).containsExactly(1, 3);
   * }</pre>
   */
  public SortedSet<Integer> running() {
    return new TreeSet<>(nodes.keySet());
  }

  /**
   * Where everything is kept: {@code controller}, {@code broker-1}, {@code broker-2}, ...
   *
   * <pre>{@code
   * Path log = cluster.dir().resolve("broker-2/payments-0/00000000000000000000.log");
   * }</pre>
   */
  public Path dir() {
    return directory;
  }

  // Breaking

  /**
   * Kills a broker as SIGKILL would: it answers nobody any more and saves nothing; what it had
   * written is still there when it comes back. The others notice at once.
   *
   * <pre>{@code
   * cluster.kill(cluster.leaderOf("payments", 0));
   * }</pre>
   */
  public void kill(int broker) {
    kill(broker, Unforced.KEPT);
  }

  /**
   * The same, and with {@link Unforced#LOST} it also loses what it had not forced to disk. With
   * {@code flush=os}, the default of a topic with several replicas, that is nearly everything, so
   * only what the other replicas have survives. With {@link Unforced#TORN} it happens in the middle
   * of its last write.
   *
   * <pre>{@code
   * cluster.kill(2, Unforced.LOST);
   * }</pre>
   */
  public synchronized void kill(int broker, Unforced unforced) {
    Node node = running(broker);
    nodes.remove(broker);
    Seat seat = seat(broker);
    seat.die();
    links.leave(broker);
    node.kill();
    switch (unforced) {
      case KEPT -> {}
      case LOST -> {
        var unused = seat.disk.losePower();
      }
      case TORN -> {
        var unused = seat.disk.tearTail();
      }
    }
    fence(broker, unforced != Unforced.KEPT);
    seat.holdPort();
  }

  /** The controller's disk may refuse that for a while; until then the broker counts as leader. */
  private void fence(int broker, boolean lostRecords) {
    if (controller.fence(broker, lostRecords) == WireError.KAFKA_STORAGE_ERROR) {
      unfenced.merge(broker, lostRecords, Boolean::logicalOr);
      var unused = scheduler.after(FENCE_RETRY_MS, () -> fenceAgain(broker));
    }
  }

  private synchronized void fenceAgain(int broker) {
    Boolean lostRecords = unfenced.remove(broker);
    if (lostRecords != null) {
      fence(broker, lostRecords);
    }
  }

  /**
   * Stops a broker in order: others lead before it goes, and it saves its state.
   *
   * <pre>{@code
   * cluster.stop(1);
   * }</pre>
   */
  public synchronized void stop(int broker) {
    Node node = running(broker);
    WireError left = controller.leave(broker);
    nodes.remove(broker);
    node.stop();
    seat(broker).holdPort();
    links.leave(broker);
    if (left != WireError.NONE) {
      fence(broker, false);
    }
  }

  /**
   * Starts a broker that was killed or stopped, on its old directory and port.
   *
   * <pre>{@code
   * cluster.restart(2);
   * cluster.awaitIsr("payments", 0, 1, 2, 3);
   * }</pre>
   */
  public synchronized void restart(int broker) {
    seat(broker);
    if (nodes.containsKey(broker)) {
      throw new IllegalStateException("Broker " + broker + " is up: kill or stop it first");
    }
    fenceAgain(broker);
    if (unfenced.containsKey(broker)) {
      throw new IllegalStateException(
          "Broker " + broker + " cannot come back while the controller's disk takes no changes");
    }
    startNode(broker);
  }

  /**
   * Throws away all that a broker which is down has on its disk; it comes back with nothing.
   *
   * <pre>{@code
   * cluster.kill(3);
   * cluster.wipe(3);
   * cluster.restart(3);
   * }</pre>
   */
  public synchronized void wipe(int broker) {
    Seat seat = seat(broker);
    if (nodes.containsKey(broker)) {
      throw new IllegalStateException("Broker " + broker + " is up: kill or stop it first");
    }
    Directories.delete(seat.directory);
    fence(broker, true);
  }

  /**
   * Cuts a broker off from these others; from all of them and the controller if none is named. Its
   * clients still reach it: a leader that is cut off goes on as if nothing had happened, but can
   * commit nothing alone. After {@code broker.session.timeout.ms} without the controller others
   * lead instead.
   *
   * <pre>{@code
   * cluster.isolate(1);        // from everybody
   * cluster.isolate(1, 2);     // only from broker 2
   * }</pre>
   */
  public void isolate(int broker, int... from) {
    seat(broker);
    if (from.length > 0) {
      for (int other : from) {
        seat(other);
        links.cut(broker, other);
      }
      return;
    }
    synchronized (sessions) {
      isolated.add(broker);
    }
    for (int other : seats.keySet()) {
      if (other != broker) {
        links.cut(broker, other);
      }
    }
    long sessionMs = config.common().longOf("broker.session.timeout.ms");
    synchronized (sessions) {
      controller.disconnect(broker);
      Scheduler.Timer earlier = sessions.remove(broker);
      if (earlier != null) {
        earlier.cancel();
      }
      endSessionIn(sessionMs, broker);
    }
  }

  private void endSessionIn(long delayMs, int broker) {
    sessions.put(broker, scheduler.after(delayMs, () -> endSession(broker)));
  }

  private void endSession(int broker) {
    synchronized (sessions) {
      if (sessions.remove(broker) != null
          && controller.fence(broker, false) == WireError.KAFKA_STORAGE_ERROR) {
        endSessionIn(FENCE_RETRY_MS, broker);
      }
    }
  }

  /**
   * Mends all that {@link #isolate} has cut, and ends every lag.
   *
   * <pre>{@code
   * cluster.heal();
   * }</pre>
   */
  public void heal() {
    for (int one : seats.keySet()) {
      links.lag(one, 0);
      for (int other : seats.tailMap(one, false).keySet()) {
        links.mend(one, other);
      }
    }
    synchronized (sessions) {
      sessions.values().forEach(Scheduler.Timer::cancel);
      sessions.clear();
      isolated.clear();
      seats.keySet().forEach(controller::connect);
    }
  }

  /**
   * Mends all that cut this broker off, but for its links to others that are isolated themselves.
   *
   * <pre>{@code
   * cluster.isolate(1);
   * cluster.rejoin(1);
   * }</pre>
   */
  public void rejoin(int broker) {
    seat(broker);
    synchronized (sessions) {
      isolated.remove(broker);
      for (int other : seats.keySet()) {
        if (other != broker && !isolated.contains(other)) {
          links.mend(broker, other);
        }
      }
      Scheduler.Timer session = sessions.remove(broker);
      if (session != null) {
        session.cancel();
      }
      controller.connect(broker);
    }
  }

  /**
   * Lets a broker take in what it follows that much later; zero ends that. Longer than {@code
   * replica.lag.time.max.ms}, and it leaves the ISR when there is traffic.
   *
   * <pre>{@code
   * cluster.lag(3, Duration.ofMillis(200));
   * }</pre>
   */
  public void lag(int broker, Duration delay) {
    seat(broker);
    links.lag(broker, delay.toMillis());
  }

  /**
   * Lets another replica lead; it must be in sync.
   *
   * <pre>{@code
   * cluster.moveLeader("payments", 0, 2);
   * }</pre>
   *
   * @throws IllegalStateException if it cannot lead now
   */
  public void moveLeader(String topic, int partition, int broker) {
    seat(broker);
    WireError error = controller.moveLeader(new TopicPartition(topic, partition), broker);
    if (error != WireError.NONE && error != WireError.ELECTION_NOT_NEEDED) {
      throw new IllegalStateException(
          "Broker "
              + broker
              + " cannot lead "
              + watch.describe(topic, partition)
              + ": "
              + error
              + ", "
              + error.sentence());
    }
  }

  /**
   * Lets another broker coordinate a group or transactional id, and with it all keys of the same
   * internal partition: the next one in the ISR.
   *
   * <pre>{@code
   * cluster.moveCoordinator(CoordinatorKey.transaction("payments-1"));
   * }</pre>
   *
   * @return who coordinates from now on
   * @throws IllegalStateException if nobody else can
   */
  public int moveCoordinator(CoordinatorKey key) {
    TopicPartition partition = watch.partitionOf(key);
    PartitionState state = watch.state(partition.topic(), partition.partition());
    for (int broker : state.isr()) {
      if (broker != state.leader()) {
        moveLeader(partition.topic(), partition.partition(), broker);
        return broker;
      }
    }
    throw new IllegalStateException(
        "Nobody else can coordinate "
            + key.key()
            + ": "
            + watch.describe(partition.topic(), partition.partition()));
  }

  // Looking

  /**
   * The broker that leads a partition by what the controller knows; -1 if nobody does.
   *
   * <pre>{@code
   * int leader = cluster.leaderOf("payments", 0);
   * }</pre>
   */
  public int leaderOf(String topic, int partition) {
    return watch.state(topic, partition).leader();
  }

  /**
   * How often the leader of a partition has changed; grows with each election.
   *
   * <pre>{@code
   * int before = cluster.leaderEpoch("payments", 0);
   * cluster.moveLeader("payments", 0, 2);
   * assertThat(cluster.leaderEpoch("payments", 0)).isEqualTo(before + 1);
   * }</pre>
   */
  public int leaderEpoch(String topic, int partition) {
    return watch.state(topic, partition).leaderEpoch();
  }

  /**
   * The broker that coordinates a group or transactional id; -1 if nobody does.
   *
   * <pre>{@code
   * cluster.kill(cluster.coordinatorOf(CoordinatorKey.group("tellers")));
   * }</pre>
   */
  public int coordinatorOf(CoordinatorKey key) {
    TopicPartition partition = watch.partitionOf(key);
    return leaderOf(partition.topic(), partition.partition());
  }

  /**
   * The replicas in sync.
   *
   * <pre>{@code
   * assertThat(cluster.isr("payments", 0)).containsExactly(1, 2, 3);
   * }</pre>
   */
  public SortedSet<Integer> isr(String topic, int partition) {
    return watch.isr(topic, partition);
  }

  /**
   * All replicas of a partition, the preferred leader first.
   *
   * <pre>{@code
   * cluster.kill(cluster.replicas("payments", 0).get(0));
   * }</pre>
   */
  public List<Integer> replicas(String topic, int partition) {
    return watch.state(topic, partition).replicas();
  }

  /**
   * The offset up to which a partition is committed, as its leader knows it.
   *
   * <pre>{@code
   * assertThat(cluster.highWatermark("payments", 0)).isEqualTo(5);
   * }</pre>
   */
  public long highWatermark(String topic, int partition) {
    return watch.leader(topic, partition).highWatermark();
  }

  /**
   * The offset up to which readers of committed records may read, as the leader knows it.
   *
   * <pre>{@code
   * assertThat(cluster.lastStableOffset("payments", 0)).isEqualTo(3);
   * }</pre>
   */
  public long lastStableOffset(String topic, int partition) {
    return watch.leader(topic, partition).lastStableOffset();
  }

  /**
   * The end of the leader's log, exclusive.
   *
   * <pre>{@code
   * assertThat(cluster.logEnd("payments", 0)).isEqualTo(6);
   * }</pre>
   */
  public long logEnd(String topic, int partition) {
    return watch.leader(topic, partition).logEndOffset();
  }

  /**
   * The end of the log of one broker's replica, exclusive.
   *
   * <pre>{@code
   * assertThat(cluster.logEnd("payments", 0, 2)).isEqualTo(5);
   * }</pre>
   */
  public long logEnd(String topic, int partition, int broker) {
    seat(broker);
    return watch.replica(topic, partition, broker).logEndOffset();
  }

  /**
   * One of the brokers inside, for tests and figures; not while it is down.
   *
   * <pre>{@code
   * ClusterState known = cluster.broker(2).services().cluster().state();
   * }</pre>
   */
  public BrokerServer broker(int broker) {
    return running(broker).broker();
  }

  // Waiting

  /**
   * Waits until a partition has a leader that is up, and returns it.
   *
   * <pre>{@code
   * int next = cluster.awaitLeader("payments", 0);
   * }</pre>
   */
  public int awaitLeader(String topic, int partition) {
    return watch.awaitLeader(topic, partition);
  }

  /**
   * Waits until exactly these replicas are in sync.
   *
   * <pre>{@code
   * cluster.awaitIsr("payments", 0, 1, 2, 3);
   * }</pre>
   */
  public void awaitIsr(String topic, int partition, Integer... brokers) {
    watch.awaitIsr(topic, partition, new TreeSet<>(List.of(brokers)));
  }

  /**
   * Waits until every partition has a leader, and all its replicas whose brokers are up in sync.
   *
   * <pre>{@code
   * cluster.restart(2);
   * cluster.awaitAllInSync();
   * }</pre>
   */
  public void awaitAllInSync() {
    watch.awaitAllInSync();
  }

  /**
   * Waits until a partition is committed up to this offset, or further.
   *
   * <pre>{@code
   * cluster.awaitHighWatermark("payments", 0, 5);
   * }</pre>
   */
  public void awaitHighWatermark(String topic, int partition, long offset) {
    watch.awaitLeaders(
        "high watermark",
        PartitionGate::highWatermark,
        new TopicPartition(topic, partition),
        offset);
  }

  /**
   * Waits until readers of committed records may read up to this offset, or further.
   *
   * <pre>{@code
   * cluster.awaitLastStableOffset("payments", 0, 5);
   * }</pre>
   */
  public void awaitLastStableOffset(String topic, int partition, long offset) {
    watch.awaitLeaders(
        "last stable offset",
        PartitionGate::lastStableOffset,
        new TopicPartition(topic, partition),
        offset);
  }

  /**
   * Waits until one broker's replica has all up to this offset, or more; also while the broker is
   * down.
   *
   * <pre>{@code
   * cluster.awaitLogEnd("payments", 0, 3, 5);
   * }</pre>
   */
  public void awaitLogEnd(String topic, int partition, int broker, long offset) {
    seat(broker);
    watch.awaitLogEnd(topic, partition, broker, offset);
  }

  /** Stops all brokers, and deletes the directory if it was a temporary one. */
  @Override
  public synchronized void close() {
    List.copyOf(nodes.keySet()).forEach(this::stopWithAll);
    seats.values().forEach(Seat::releasePort);
    controller.close();
    scheduler.stop(0);
    lock.close();
    if (isTemporary) {
      Directories.delete(directory);
    }
  }

  /** Leadership stays where it is: nobody is left to take it over. */
  private void stopWithAll(int broker) {
    Node node = nodes.remove(broker);
    if (node != null) {
      node.stop();
      links.leave(broker);
    }
  }
}
