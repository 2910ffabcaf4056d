package io.fencepost.testkit.sim;

import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.port.sim.SimTransport;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.CreateTopicsResponse;
import io.fencepost.broker.wire.message.FindCoordinatorResponse;
import io.fencepost.broker.wire.message.OffsetFetchResponse;
import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One simulated run: a broker with its coordinators, writers and readers on one thread under
 * virtual time. The seed decides everything: who is slow, which answers are lost, when the broker
 * loses power and what of the unforced bytes survives. First faults, then calm, in which all must
 * come to an end; then a scan of the whole log, and the checks.
 */
public final class Sim {
  private static final String TOPIC = "payments";
  private static final int CALM_LIMIT_MS = 120_000;
  private static final int MAX_STEP_MS = 600_000;
  private static final int MAX_CUT_MS = 4_000;

  private final SimClock clock = new SimClock();
  private final SimEntropy entropy;
  private final SimScheduler scheduler;
  private final Swarm swarm;
  private final SimCluster cluster;
  private final History history = new History();
  private final List<TopicPartition> partitions = new ArrayList<>();
  private final List<SimWriter> writers = new ArrayList<>();
  private final List<SimReader> readers = new ArrayList<>();
  private final List<SimMember> members = new ArrayList<>();
  private final GroupCommits commits = new GroupCommits();
  private int crashCount;
  private boolean calm;
  private boolean isStepped;
  private long startedNanos;

  /** One broker that is alone. */
  public Sim(long seed) {
    this(seed, 1);
  }

  /**
   * @param seed replays this run together with the commit
   * @param brokers how many
   */
  public Sim(long seed, int brokers) {
    this.entropy = new SimEntropy(seed);
    this.scheduler = new SimScheduler(clock, entropy);
    this.swarm = Swarm.of(entropy, brokers);
    TreeMap<String, String> settings = new TreeMap<>();
    settings.put("log.roll.ms", Integer.toString(swarm.rollMs()));
    this.cluster = new SimCluster(clock, scheduler, entropy, swarm, settings);
    for (int i = 0; i < swarm.partitions(); i++) {
      partitions.add(new TopicPartition(TOPIC, i));
    }
  }

  /** Runs with faults for this much virtual time, then heals, and returns the verdicts by id. */
  public Map<String, Verdict> run(int faultyMs) {
    cluster.start();
    createTopics();
    startClients();
    cluster.weather(swarm.weather());
    scheduleCrash();
    every(swarm.cutEveryMs(), () -> cluster.cutSomething(MAX_CUT_MS));
    every(swarm.moveEveryMs(), cluster::moveSomething);
    scheduleFlush();
    scheduleDiskFault();
    scheduleClockStep();
    scheduler.runFor(faultyMs);
    heal();
    checkCommits();
    scan();
    return Verification.verdicts(history, Check.all());
  }

  /** All parameters that the seed chose. */
  public String describe() {
    return "seed 0x%x, %s, %d crashes".formatted(entropy.seed(), swarm, crashCount);
  }

  public History history() {
    return history;
  }

  Clock clock() {
    return clock;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  SimCluster cluster() {
    return cluster;
  }

  SimEntropy entropy() {
    return entropy;
  }

  List<TopicPartition> partitions() {
    return partitions;
  }

  /** The longest that a client rests. */
  int pauseMs() {
    return swarm.pauseMs();
  }

  /** After the faults: clients no longer give up, so that everything must come to an end. */
  boolean isCalm() {
    return calm;
  }

  /**
   * Whether deadlines of transactions that were open at that time may have moved since: over a
   * restart they hold in wall time.
   */
  boolean mayHaveMovedDeadlines(long sinceNanos) {
    return isStepped && (swarm.brokers() > 1 || startedNanos >= sinceNanos);
  }

  boolean isClockStepped() {
    return isStepped;
  }

  /** Creates what all clients need, the coordinators' own topics included. */
  private void createTopics() {
    PatientCalls admin = new PatientCalls("admin", this);
    calm = true;
    List<WireError> errors = new ArrayList<>();
    admin.call(
        ApiKey.CREATE_TOPICS,
        5,
        Requests.createTopic(TOPIC, swarm.partitions()),
        response -> WireError.of(((CreateTopicsResponse) response).topics.get(0).errorCode),
        created ->
            findCoordinator(
                admin,
                Requests.GROUP,
                () ->
                    findCoordinator(
                        admin, Requests.TRANSACTION, () -> errors.add(created.error()))));
    scheduler.runFor(10_000);
    calm = false;
    Invariant.check(errors.equals(List.of(WireError.NONE)), "creating the topics gave %s", errors);
  }

  private static void findCoordinator(PatientCalls admin, byte keyType, Runnable then) {
    admin.call(
        ApiKey.FIND_COORDINATOR,
        3,
        Requests.findCoordinator("any", keyType),
        response -> WireError.of(((FindCoordinatorResponse) response).errorCode),
        found -> then.run());
  }

  private void startClients() {
    for (int i = 0; i < swarm.writers(); i++) {
      String id = "id-" + (swarm.sharedIds() ? i / 2 : i);
      writers.add(new SimWriter("w" + i, id, swarm.sharedIds(), swarm.implicitAdd(), this));
    }
    for (TopicPartition partition : partitions) {
      String suffix = "-" + partition.partition();
      readers.add(
          new SimReader("committed" + suffix, partition, Isolation.READ_COMMITTED, false, this));
      readers.add(
          new SimReader("all" + suffix, partition, Isolation.READ_UNCOMMITTED, false, this));
    }
    for (int i = 0; i < swarm.members(); i++) {
      members.add(new SimMember("m" + i, TOPIC, commits, this));
    }
    writers.forEach(SimWriter::start);
    readers.forEach(SimReader::start);
    members.forEach(SimMember::start);
  }

  private void scheduleCrash() {
    if (swarm.crashEveryMs() > 0) {
      int delayMs = 1 + entropy.nextInt(2 * swarm.crashEveryMs());
      var unused = scheduler.after(delayMs, this::crash);
    }
  }

  private void scheduleFlush() {
    var unused =
        scheduler.after(
            entropy.nextInt(10_000),
            () -> {
              cluster.flushTables();
              scheduleFlush();
            });
  }

  private void crash() {
    Integer victim = calm ? null : cluster.victim();
    if (victim != null) {
      crashCount++;
      cluster.die(victim, entropy.nextInt(3) != 0);
      var unused = scheduler.after(entropy.nextInt(downMs()), () -> restart(victim));
    } else if (!calm) {
      scheduleCrash();
    }
  }

  /** With others to take over it may be away for longer. */
  private int downMs() {
    return swarm.brokers() == 1 ? 500 : 5_000;
  }

  private void restart(int id) {
    try {
      cluster.restart(id);
      startedNanos = clock.monotonicNanos();
      scheduleCrash();
    } catch (DiskException e) {
      cluster.die(id, false);
      var unused = scheduler.after(100, () -> restart(id));
    }
  }

  /** Does something at random times until the faults are over. */
  private void every(int meanMs, Runnable fault) {
    if (meanMs > 0) {
      var unused =
          scheduler.after(
              1L + entropy.nextInt(2 * meanMs),
              () -> {
                if (!calm) {
                  fault.run();
                  every(meanMs, fault);
                }
              });
    }
  }

  private void scheduleDiskFault() {
    if (swarm.diskFaultEveryMs() > 0) {
      var unused =
          scheduler.after(
              1 + entropy.nextInt(2 * swarm.diskFaultEveryMs()),
              () -> {
                if (!calm) {
                  cluster.breakDisk();
                  scheduleDiskFault();
                }
              });
    }
  }

  private void scheduleClockStep() {
    if (swarm.clockStepEveryMs() > 0) {
      var unused =
          scheduler.after(
              1 + entropy.nextInt(2 * swarm.clockStepEveryMs()),
              () -> {
                if (!calm) {
                  clock.stepWallMs(entropy.nextInt(2 * MAX_STEP_MS) - MAX_STEP_MS);
                  isStepped = true;
                  scheduleClockStep();
                }
              });
    }
  }

  private void heal() {
    calm = true;
    cluster.weather(SimTransport.Weather.CALM);
    scheduler.runFor(swarm.brokers() == 1 ? 1_000 : MAX_CUT_MS + 5_000);
    writers.forEach(SimWriter::stop);
    long end = clock.monotonicNanos() + CALM_LIMIT_MS * 1_000_000L;
    while (!isOver() || !hasConverged()) {
      Invariant.check(
          clock.monotonicNanos() < end,
          "not over %d ms after the last fault: %s %s %s",
          CALM_LIMIT_MS,
          writers,
          readers,
          members);
      scheduler.runFor(100);
    }
  }

  private boolean isOver() {
    return writers.stream().allMatch(SimWriter::isIdle)
        && readers.stream().allMatch(SimReader::isAtEnd);
  }

  /** E4: all members are in one epoch, and each partition is with one of them. */
  private boolean hasConverged() {
    List<Integer> shares = new ArrayList<>();
    members.forEach(member -> shares.addAll(member.owned()));
    shares.sort(null);
    return members.isEmpty()
        || (shares.equals(partitions.stream().map(TopicPartition::partition).toList())
            && members.stream().mapToInt(SimMember::epoch).distinct().count() == 1);
  }

  private void checkCommits() {
    members.forEach(SimMember::stop);
    for (TopicPartition partition : partitions) {
      new PatientCalls("auditor of " + partition, this)
          .call(
              ApiKey.OFFSET_FETCH,
              7,
              Requests.committedOffset(SimMember.GROUP, partition),
              response -> WireError.of(found(response).errorCode),
              done -> {
                if (done.response() != null) {
                  commits.check(partition.partition(), found(done.response()).committedOffset);
                }
              });
    }
    scheduler.runFor(10_000);
  }

  private static OffsetFetchResponse.OffsetFetchResponsePartition found(WireMessage response) {
    return ((OffsetFetchResponse) response).topics.get(0).partitions.get(0);
  }

  /** Fresh readers from the first offset to the last. */
  private void scan() {
    readers.forEach(SimReader::stop);
    readers.clear();
    for (TopicPartition partition : partitions) {
      String suffix = "-scan-" + partition.partition();
      readers.add(
          new SimReader("committed" + suffix, partition, Isolation.READ_COMMITTED, false, this));
      readers.add(new SimReader("all" + suffix, partition, Isolation.READ_UNCOMMITTED, true, this));
    }
    readers.forEach(SimReader::start);
    for (int steps = 0; !isOver(); steps++) {
      Invariant.check(steps < 1_000, "the scan does not end: %s", readers);
      scheduler.runFor(100);
    }
    readers.forEach(SimReader::stop);
  }
}
