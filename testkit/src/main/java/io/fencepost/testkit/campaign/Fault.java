package io.fencepost.testkit.campaign;

import java.util.Locale;

/** What a campaign does to a cluster, or to those who work with it. */
public enum Fault {
  /** A broker dies; what it had written is still there. */
  KILL(Harm.DOWN),
  /** A broker dies with the power: what it had not forced to disk is gone. */
  KILL_UNFORCED_LOST(Harm.LOSES),
  /** A broker stops in order. */
  STOP(Harm.DOWN),
  /** A broker dies, and comes back with an empty disk. */
  WIPE(Harm.LOSES),
  /** A broker is cut off from all others and the controller. */
  ISOLATE(Harm.CUT),
  /** A broker is cut off from one other. */
  ISOLATE_FROM_ONE(Harm.CUT),
  /** A broker takes in late what it follows. */
  LAG(Harm.CUT),
  /** Another replica leads a partition. */
  MOVE_LEADER(Harm.NONE),
  /** Another broker coordinates a transactional id. */
  MOVE_TRANSACTION_COORDINATOR(Harm.NONE),
  /** Another broker coordinates the group. */
  MOVE_GROUP_COORDINATOR(Harm.NONE),
  /** A job instance is gone without a word; a new one takes its transactional id over. */
  KILL_JOB(Harm.NONE),
  /** A job instance stands still within a transaction until its successor is there, and goes on. */
  ZOMBIE_JOB(Harm.NONE),
  /** A job instance stands still until its group has given it up, and goes on. */
  STALE_MEMBER(Harm.NONE),
  /** A producer leaves a transaction open until it has timed out, and goes on. */
  HANG(Harm.NONE),
  /** A broker that is down starts again. */
  RESTART(Harm.REPAIR),
  /** All that was cut off or slow is well again. */
  HEAL(Harm.REPAIR),
  /** Everything is repaired, and the campaign waits until all replicas are in sync. */
  SETTLE(Harm.REPAIR);

  /** What a fault takes from the cluster. */
  enum Harm {
    /** Nothing that is needed to keep data. */
    NONE,
    /** A broker serves nobody until it starts again, and keeps what it has. */
    DOWN,
    /** A broker no longer replicates as it should, and keeps what it has. */
    CUT,
    /** A broker loses data that it had acknowledged. */
    LOSES,
    /** Nothing: it gives back. */
    REPAIR
  }

  private final Harm harm;

  Fault(Harm harm) {
    this.harm = harm;
  }

  Harm harm() {
    return harm;
  }

  /** Whether a broker does worse after it than before. */
  public boolean hurtsBroker() {
    return harm == Harm.DOWN || harm == Harm.CUT || harm == Harm.LOSES;
  }

  /** Whether it repairs rather than breaks. */
  public boolean isRepair() {
    return harm == Harm.REPAIR;
  }

  /** As it stands in plans and reports: {@code kill-unforced-lost}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
