package io.fencepost.txn.shard;

import io.fencepost.txn.table.Table;
import java.util.List;

/**
 * The state of one internal partition, usually rows in {@link io.fencepost.txn.table.ShardTables}
 * and an index in memory. {@link #replay} and {@link #replayMarker} are the only methods that
 * change it, so the log alone decides. Called by {@link ShardRuntime} under its lock.
 */
public interface Shard {
  /** The tables that hold its rows. */
  List<Table> tables();

  /** Forgets what is in memory and reads it again from the rows. */
  void load();

  /** A record is committed. Key and value are valid during the call. */
  void replay(LoggedRecord logged);

  /** A marker is committed. */
  void replayMarker(LoggedMarker marker);

  /**
   * A write of this key has failed: whatever a decision noted down ahead of its replay is void.
   * Only shards that decide with {@link ShardDecision.Hold#UNTIL_APPENDED} note anything.
   */
  default void forgetPending(String key) {}
}
