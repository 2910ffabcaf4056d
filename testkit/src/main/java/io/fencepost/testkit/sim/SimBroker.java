package io.fencepost.testkit.sim;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.core.BrokerCore;
import io.fencepost.broker.core.CoreExtension;
import io.fencepost.broker.core.CorePorts;
import io.fencepost.broker.core.CoreServices;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimTransport;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.testing.BrokerSteps;
import io.fencepost.txn.api.TransactionExtension;
import io.fencepost.txn.group.api.GroupExtension;
import io.fencepost.txn.table.MemoryTables;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The broker of a simulation, with its coordinators, through all its lives: what it is between two
 * of them is its disk and its tables. Not thread-safe.
 */
final class SimBroker {
  private static final int MAX_ROOM_BYTES = 2_000;
  private static final int MAX_FULL_MS = 3_000;

  private final Clock clock;
  private final Scheduler scheduler;
  private final SimEntropy entropy;
  private final SimTransport transport;
  private final BrokerConfig config;
  private final Consumer<String> notices;
  private final int lagMs;
  private final BrokerSteps steps;
  private final SimDisk disk;
  private final MemoryTables tables = new MemoryTables();
  private final @Nullable SimPlace place;
  private @Nullable IncarnationScheduler life;
  private @Nullable BrokerCore core;
  private int lives;

  /**
   * What a broker shares with its clients.
   *
   * @param lagMs how long its tasks may have to wait
   * @param steps is asked before and after each of its steps
   */
  record Ports(
      Clock clock, Scheduler scheduler, SimTransport transport, int lagMs, BrokerSteps steps) {
    Ports(Clock clock, Scheduler scheduler, SimTransport transport, int lagMs) {
      this(clock, scheduler, transport, lagMs, BrokerSteps.NONE);
    }
  }

  /**
   * @param settings over those of all simulations
   * @param notices gets what an operator would read
   */
  SimBroker(
      Ports ports, SimEntropy entropy, Map<String, String> settings, Consumer<String> notices) {
    this(ports, entropy, settings, notices, null);
  }

  /**
   * The same for one of several.
   *
   * @param place how it belongs to its cluster
   */
  SimBroker(
      Ports ports,
      SimEntropy entropy,
      Map<String, String> settings,
      Consumer<String> notices,
      @Nullable SimPlace place) {
    this.place = place;
    this.clock = ports.clock();
    this.scheduler = ports.scheduler();
    this.transport = ports.transport();
    this.lagMs = ports.lagMs();
    this.steps = ports.steps();
    this.entropy = entropy.named("broker");
    this.notices = notices;
    this.disk = new SimDisk(this.entropy.named("disk"));
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putIfAbsent("flush", "group");
    // The coordinators' logs are compacted all the while, and their markers soon gone.
    all.putIfAbsent("log.cleaner.backoff.ms", "300");
    all.putIfAbsent("log.cleaner.min.cleanable.ratio", "0.01");
    all.putIfAbsent("log.cleaner.delete.retention.ms", "500");
    this.config = BrokerConfig.of(all);
  }

  SimDisk disk() {
    return disk;
  }

  MemoryTables tables() {
    return tables;
  }

  /** Throws DiskException, and is dead, if the disk does not let it start. */
  void start() {
    SimEntropy chance = entropy.named("life " + ++lives);
    IncarnationScheduler alive = new IncarnationScheduler(scheduler, chance, lagMs);
    life = alive;
    TransactionExtension transactions =
        new TransactionExtension(() -> tables, place == null ? null : place.ids(), notices);
    GroupExtension groups = new GroupExtension(() -> tables, () -> gate(transactions), notices);
    CorePorts ports = new CorePorts(clock, alive, chance, disk, notices, Meters.NONE, steps);
    List<CoreExtension> extensions = List.of(transactions, groups);
    BrokerCore opened =
        place == null
            ? BrokerCore.open(ports, config, extensions)
            : BrokerCore.open(ports, config, extensions, place.membership());
    core = opened;
    opened.start("sim", 9092);
    transport.serve(opened.frames());
  }

  /** What is inside, while it is alive. */
  CoreServices services() {
    BrokerCore alive = core;
    if (alive == null) {
      throw new IllegalStateException("broker " + config.brokerId() + " is dead");
    }
    return alive.services();
  }

  boolean isAlive() {
    return core != null;
  }

  /** Who answers, by broker and life: what it says of the past may differ from another's. */
  String incarnation() {
    return config.brokerId() + "." + lives;
  }

  private static TransactionGate gate(TransactionExtension transactions) {
    TransactionGate gate = transactions.transactionGate();
    if (gate == null) {
      throw new IllegalStateException("the broker serves before its coordinator is installed");
    }
    return gate;
  }

  /** The process dies; with it, or not, what the disk had not forced. */
  void die(boolean power) {
    if (life != null) {
      life.die();
    }
    transport.stopServing();
    BrokerCore dead = core;
    core = null;
    if (dead != null && place != null) {
      place.leave(dead.services());
    }
    if (power) {
      disk.crash();
    } else {
      disk.kill();
    }
    tables.crash();
  }

  /**
   * The disk misbehaves once: a write or a force fails, or for a while there is hardly any room.
   */
  void breakDisk() {
    switch (entropy.nextInt(3)) {
      case 0 -> disk.failNextForce();
      case 1 -> disk.failNextAppend();
      default -> {
        disk.fill(entropy.nextInt(MAX_ROOM_BYTES));
        var unused = scheduler.after(entropy.nextInt(MAX_FULL_MS), disk::free);
      }
    }
  }

  /** Tables are flushed at times of their own. */
  void flushTables() {
    tables.flush();
  }
}
