package io.fencepost.txn.shard;

import io.fencepost.txn.table.Table;
import java.util.List;
import java.util.function.Consumer;

/**
 * The state of one internal partition, usually rows in {@link io.fencepost.txn.table.ShardTables}
 * and an index in memory. {@link #replay} and {@link #replayMarker} are the only methods that
 * change it, so the log alone decides. Called by a {@link ShardRuntime} while this broker leads,
 * else by a replica that applies the log as well; under their locks, never by both.
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
   * This broker only follows the log: drops from memory what replay has left there and nobody needs
   * before this broker leads.
   */
  default void trim() {}

  /**
   * The term is over, nothing of this shard counts any more: takes back timers, and answers
   * everybody who waits in memory.
   *
   * @param later takes what has to run outside of the lock
   */
  default void end(Consumer<Runnable> later) {}

  /**
   * A write of this key has failed: whatever a decision noted down ahead of its replay is void.
   * Only shards that decide with {@link ShardDecision.Hold#UNTIL_APPENDED} note anything.
   */
  default void forgetPending(String key) {}
}
