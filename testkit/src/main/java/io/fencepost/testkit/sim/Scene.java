package io.fencepost.testkit.sim;

import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.InvariantViolation;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.port.sim.SimTransport;
import io.fencepost.broker.testing.BrokerSteps;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.CreateTopicsResponse;
import io.fencepost.broker.wire.message.FindCoordinatorResponse;
import io.fencepost.testkit.fault.Decision;
import io.fencepost.testkit.fault.FaultAction;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultObserver;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Outcome;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A short story under virtual time: producers and readers that do one thing after the other on one
 * or three brokers, while a fault plan breaks what it says. What they are told is written into a
 * history. The same story with the same plan gives the same history.
 *
 * <p>Points that are passed: the requests of the producers, the steps of the brokers, and of the
 * jobs those around each thing that a {@link Writer} does. Not thread-safe.
 */
public final class Scene {
  /** Written to by all. */
  public static final String TOPIC = "data";

  /** Where the story is over, everything has come to its end this much later. */
  private static final int CALM_MS = 180_000;

  private static final int RESTART_MS = 300;
  private static final int RETRY_MS = 50;
  private static final int TRIES = 400;
  private static final int ANSWER_MS = 30_000;
  private static final int PARTITIONS = 2;

  private final SimClock clock = new SimClock();
  private final SimEntropy entropy = new SimEntropy(7);
  private final SimScheduler scheduler = new SimScheduler(clock, entropy);
  private final History history = new History();
  private final SimCluster cluster;
  private final Faults faults;
  private final TreeMap<String, Writer> owners = new TreeMap<>();
  private final TreeMap<String, SceneReader> readers = new TreeMap<>();

  /** Thrown through whatever a broker was doing when it died. */
  private static final class Died extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int broker;
    private final boolean power;

    Died(int broker, boolean power) {
      super("broker " + broker + " dies", null, false, false);
      this.broker = broker;
      this.power = power;
    }
  }

  private Scene(FaultPlan plan, int brokers, int lagMs) {
    this.faults =
        Faults.of(plan, clock)
            .observedBy(
                new FaultObserver() {
                  @Override
                  public void onFired(Fired fired) {
                    history.add(new Event.Fault(fired.fault().toString()));
                  }
                });
    Swarm calm =
        new Swarm(
            PARTITIONS,
            0,
            false,
            true,
            3_600_000,
            0,
            0,
            0,
            RETRY_MS,
            lagMs,
            SimTransport.Weather.CALM,
            0,
            brokers,
            0,
            0,
            false);
    Map<String, String> settings = new TreeMap<>();
    settings.put("transaction.state.log.num.partitions", "1");
    settings.put("offsets.topic.num.partitions", "1");
    settings.put("log.cleaner.enable", "false");
    this.cluster =
        new SimCluster(
            clock,
            scheduler,
            entropy,
            calm,
            settings,
            id -> (step, partition) -> pass(id, step, partition));
  }

  /** One broker. */
  public static Scene of(FaultPlan plan) {
    return of(plan, 1, 0);
  }

  /**
   * All is ready when this returns.
   *
   * @param brokers 1 or 3
   * @param lagMs how long the brokers' own tasks, forces among them, may have to wait
   */
  public static Scene of(FaultPlan plan, int brokers, int lagMs) {
    Scene scene = new Scene(plan, brokers, lagMs);
    scene.cluster.start();
    scene.createTopics();
    return scene;
  }

  private void createTopics() {
    SceneCall admin = new SceneCall(this, "admin");
    admin.ask(
        ApiKey.CREATE_TOPICS,
        5,
        Requests.createTopic(TOPIC, PARTITIONS),
        response -> WireError.of(((CreateTopicsResponse) response).topics.get(0).errorCode));
    for (byte type : new byte[] {Requests.GROUP, Requests.TRANSACTION}) {
      admin.ask(
          ApiKey.FIND_COORDINATOR,
          3,
          Requests.findCoordinator("any", type),
          response -> WireError.of(((FindCoordinatorResponse) response).errorCode));
    }
    runFor(1_000);
  }

  /** What has happened so far. */
  public History history() {
    return history;
  }

  /** What the plan did and did not. */
  public Faults faults() {
    return faults;
  }

  /** One of the two partitions. */
  public static TopicPartition partition(int number) {
    return new TopicPartition(TOPIC, number);
  }

  /**
   * A producer that is not initialised yet, whose transactions are of version 2 (KIP-890).
   *
   * @param name a job instance's, of which each has one
   */
  public Writer writer(String name, String transactionalId) {
    return new Writer(this, name, transactionalId, true);
  }

  /** The same by the older protocol, where an end leaves the epoch as it is. */
  public Writer oldWriter(String name, String transactionalId) {
    return new Writer(this, name, transactionalId, false);
  }

  /**
   * A reader goes on from where it is, to the end of what it may see. If it is killed after that
   * poll, its successor begins behind the first record.
   */
  public void read(String reader, Isolation isolation, int partition) {
    SceneReader one = reader(reader, isolation, partition, 0);
    long before = one.position();
    one.read();
    FaultFacts facts = FaultFacts.NONE.client(reader).partition(TOPIC, partition);
    FaultAction action = passJob(FaultPoints.AFTER_POLL, facts);
    if (action != null && action.kind() == FaultKind.KILL_JOB) {
      probe(partition, before + 1);
    }
  }

  /** A reader begins in the middle, and reads to the end of what it may see. */
  public void probe(int partition, long fromOffset) {
    String name = Event.Probed.PREFIX + partition + "-from-" + fromOffset;
    SceneReader probe = reader(name, Isolation.READ_COMMITTED, partition, fromOffset);
    probe.read();
    history.add(new Event.Probed(name, partition(partition), fromOffset, probe.position()));
  }

  private SceneReader reader(String name, Isolation isolation, int partition, long from) {
    return readers.computeIfAbsent(
        name + " " + partition,
        key -> new SceneReader(this, name, isolation, partition(partition), from));
  }

  /** Lets time pass. */
  public void runFor(long ms) {
    long end = clock.monotonicNanos() + ms * 1_000_000;
    boolean[] reached = {false};
    var unused = scheduler.after(ms, () -> reached[0] = true);
    while (!reached[0] && clock.monotonicNanos() <= end) {
      step();
    }
  }

  private void step() {
    try {
      scheduler.step();
    } catch (Died dead) {
      cluster.die(dead.broker, dead.power);
      var unused = scheduler.after(RESTART_MS, () -> restart(dead.broker));
    }
  }

  private void restart(int broker) {
    try {
      cluster.restart(broker);
    } catch (DiskException refused) {
      cluster.die(broker, false);
      var unused = scheduler.after(RESTART_MS, () -> restart(broker));
    }
  }

  /** Lets time pass until something is there; false if that takes longer than clients wait. */
  boolean await(List<?> filled) {
    long end = clock.monotonicNanos() + ANSWER_MS * 1_000_000L;
    boolean[] isOver = {false};
    var timer = scheduler.after(ANSWER_MS, () -> isOver[0] = true);
    while (filled.isEmpty() && !isOver[0] && clock.monotonicNanos() <= end) {
      step();
    }
    timer.cancel();
    return !filled.isEmpty();
  }

  long nowNanos() {
    return clock.monotonicNanos();
  }

  /** Makes all rows of the coordinators outlive a crash of their broker. */
  public void flushTables() {
    for (int broker = 1; broker <= cluster.size(); broker++) {
      cluster.broker(broker).flushTables();
    }
  }

  /** Something that no client should meet. */
  void trouble(String what) {
    history.add(new Event.Trouble(what));
  }

  /**
   * The faults are over: lets all come to its end, reads everything once more and writes down what
   * stands in the logs.
   */
  public void finish() {
    faults.heal();
    runFor(CALM_MS);
    SceneScan scan = new SceneScan(this);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      scan.checkEnded(partition(partition));
      read("scan-committed", Isolation.READ_COMMITTED, partition);
      read("scan-all", Isolation.READ_UNCOMMITTED, partition);
    }
    scan.run();
    history.add(new Event.Finished());
  }

  /** A story that a broken rule brings to an untimely end is told so far. */
  public void play(Runnable story) {
    try {
      story.run();
    } catch (InvariantViolation | IllegalStateException broken) {
      trouble("it came to an end too early: " + broken.getMessage());
    }
    finish();
  }

  // What the parts need

  SimCluster cluster() {
    return cluster;
  }

  SimScheduler scheduler() {
    return scheduler;
  }

  long wallMillis() {
    return clock.wallMillis();
  }

  static int partitionCount() {
    return PARTITIONS;
  }

  static int tries() {
    return TRIES;
  }

  static int retryMs() {
    return RETRY_MS;
  }

  /** The writer has its epoch: all others of its id are zombies from now on. */
  void own(Writer writer) {
    owners.put(writer.transactionalId(), writer);
    history.add(new Event.Opened(writer.transactionalId(), writer.session()));
  }

  boolean isZombie(Writer writer) {
    Writer owner = owners.get(writer.transactionalId());
    return owner != null && owner != writer;
  }

  void late(Writer writer, ApiKey api, Outcome outcome, String why) {
    if (isZombie(writer)) {
      history.add(new Event.Late(writer.session(), api.apiName(), outcome, why));
    }
  }

  /** A job passes one of its steps; what the plan does to the job is left to it. */
  @Nullable FaultAction passJob(FaultPoint point, FaultFacts facts) {
    Decision decision = faults.decide(point, facts);
    FaultAction ofJob = null;
    for (Fired fired : decision.acts()) {
      FaultKind kind = fired.action().kind();
      if (kind == FaultKind.KILL_JOB || kind == FaultKind.PAUSE_JOB) {
        ofJob = fired.action();
      } else {
        act(fired.action(), facts);
      }
    }
    return ofJob;
  }

  /** A request is about to be sent; null is the call itself. */
  @Nullable FaultAction passWire(ApiKey api, FaultFacts facts) {
    Decision decision = faults.decide(FaultPoints.of(api), facts);
    decision.acts().forEach(fired -> act(fired.action(), facts));
    Fired change = decision.change();
    return change == null ? null : change.action();
  }

  private void pass(int broker, BrokerSteps.Step step, TopicPartition partition) {
    FaultPoint point = FaultPoints.of(step.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    FaultFacts facts =
        FaultFacts.NONE.broker(broker).partition(partition.topic(), partition.partition());
    Decision decision = faults.decide(point, facts);
    decision.acts().forEach(fired -> act(fired.action(), facts));
    Fired change = decision.change();
    if (change != null) {
      throw new DiskException(step + " of " + partition + " fails, as the fault plan says");
    }
  }

  private void act(FaultAction action, FaultFacts facts) {
    int broker = action.number() > 0 ? action.number() : facts.broker();
    switch (action.kind()) {
      case KILL_BROKER -> throw new Died(broker, false);
      case TEAR_TAIL -> throw new Died(broker, true);
      case ISOLATE_BROKER -> {
        int forMs = (int) action.duration().toMillis();
        cluster.isolate(broker, forMs);
      }
      case FAIL_FORCE -> cluster.broker(broker).disk().failNextForce();
      case JUMP_CLOCK -> clock.stepWallMs(action.duration().toMillis());
      default ->
          throw new IllegalStateException("a scene knows nothing of '" + action.kind() + "'");
    }
  }

  /** What a client asks with. */
  SimClient client(String name) {
    Function<WireMessage, SimTransport> route = cluster::route;
    return new SimClient(name, route, scheduler);
  }
}
