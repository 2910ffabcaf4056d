package io.fencepost.broker.replica;

import io.fencepost.broker.log.Compaction;
import io.fencepost.broker.log.Dirt;
import io.fencepost.broker.log.ForceTicket;
import io.fencepost.broker.log.KeyOffsets;
import io.fencepost.broker.port.Clock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A gate's part in compaction: shares its gate's lock. Thread-safe; called under no lock. */
final class GateCompaction {
  private final PartitionGate gate;
  private final Partition partition;
  private final PartitionCleaning cleaning;
  private volatile @Nullable LongSupplier owner;

  GateCompaction(PartitionGate gate, Partition partition, Clock clock) {
    this.gate = gate;
    this.partition = partition;
    this.cleaning = new PartitionCleaning(partition, clock);
  }

  /** Only what is below is compacted. */
  void bound(LongSupplier bound) {
    owner = bound;
  }

  /** Null if there is not enough below the bound to be worth it. */
  @Nullable Dirt worthwhile(long boundOffset) {
    synchronized (gate) {
      return cleaning.worthwhile(boundOffset);
    }
  }

  /** Null if nothing can be compacted now; may take its time. */
  @Nullable Compaction begin(KeyOffsets newest) {
    LongSupplier asked = owner;
    long bound = gate.config().internal() ? 0 : Long.MAX_VALUE;
    if (asked != null) {
      bound = asked.getAsLong();
    }
    long limit;
    synchronized (gate) {
      if (cleaning.worthwhile(bound) == null) {
        return null;
      }
      // Before the force: so the markers that decide below it are on disk after it.
      limit = cleaning.limit(bound);
    }
    forceSealed();
    synchronized (gate) {
      return cleaning.begin(limit, newest);
    }
  }

  /** With flush=os nobody has forced what is to make older records obsolete. */
  private void forceSealed() {
    ForceTicket ticket;
    synchronized (gate) {
      ticket = partition.beginForceAnyway();
    }
    if (ticket != null) {
      gate.force(ticket);
    }
  }

  void settle(Compaction run) {
    synchronized (gate) {
      cleaning.settle(run);
    }
  }

  void abandon(Compaction run) {
    synchronized (gate) {
      cleaning.abandon(run);
    }
  }
}
