package io.fencepost.txn.coordinator;

import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.shard.ShardDecision;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.ShardTask;
import io.fencepost.txn.txn.TxnEntry;

/** Counts the transactions that are open or about to end, for those who watch a broker. */
public final class OpenCount {
  private OpenCount() {}

  /** Sees how many transactions are open in one shard. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * One shard.
     *
     * @param oldestStartMs in the time of {@link TxnCoordinator#nowMs}; now if the count is 0
     */
    void open(int count, long oldestStartMs);
  }

  /** Shows one shard after the other; loads none. */
  public static void of(TxnCoordinator coordinator, Visitor visitor) {
    for (ShardRuntime<TxnShard> runtime : coordinator.shards().serving()) {
      runtime.read(new Look(coordinator.nowMs(), visitor));
    }
  }

  private record Look(long nowMs, Visitor visitor) implements ShardTask<TxnShard> {
    @Override
    public ShardDecision decide(TxnShard shard) {
      long oldestMs = nowMs;
      for (TxnEntry entry : shard.open()) {
        oldestMs = entry.startMs() < 0 ? oldestMs : Math.min(oldestMs, entry.startMs());
      }
      int count = shard.open().size();
      long startMs = oldestMs;
      return ShardDecision.answer(() -> visitor.open(count, startMs));
    }

    @Override
    public void refused(WireError error) {}
  }
}
