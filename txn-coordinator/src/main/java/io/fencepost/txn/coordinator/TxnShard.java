package io.fencepost.txn.coordinator;

import io.fencepost.broker.testing.Rule;
import io.fencepost.txn.shard.LoggedMarker;
import io.fencepost.txn.shard.LoggedRecord;
import io.fencepost.txn.shard.Shard;
import io.fencepost.txn.table.Keys;
import io.fencepost.txn.table.ShardTables;
import io.fencepost.txn.table.Table;
import io.fencepost.txn.txn.TxnEntry;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The transactional ids of one partition of {@code __transaction_state}. Rows hold the log's own
 * values; in memory are only the ids with an open or prepared transaction. Single-threaded: the
 * runtime's lock.
 */
public final class TxnShard implements Shard {
  private static final byte[] PRESENT = {1};

  private final ShardTables tables;

  /** Exactly the ids with a row in {@link Table#OPEN_TRANSACTIONS}. */
  private final TreeMap<String, TxnEntry> open = new TreeMap<>();

  /** Completions that the log has taken and replay has not reached yet. */
  private final TreeMap<String, TxnEntry> ahead = new TreeMap<>();

  public TxnShard(ShardTables tables) {
    this.tables = tables;
  }

  @Override
  public List<Table> tables() {
    return List.of(Table.TRANSACTIONS, Table.OPEN_TRANSACTIONS);
  }

  @Override
  public void load() {
    open.clear();
    ahead.clear();
    tables.scan(
        Table.OPEN_TRANSACTIONS,
        new byte[0],
        (key, value) -> {
          String id = Keys.text(key);
          TxnEntry entry = stored(id);
          if (entry != null && Rule.OPEN_SURVIVES_FAILOVER.holds()) {
            open.put(id, entry);
          }
          return true;
        });
  }

  @Override
  public void replay(LoggedRecord logged) {
    ByteBuffer key = logged.key();
    String id = key == null ? null : TxnCodec.transactionalId(key);
    if (id == null) {
      return;
    }
    byte[] row = Keys.of(id);
    ByteBuffer value = logged.value();
    TxnEntry entry = value == null ? null : TxnCodec.entry(id, value.duplicate());
    if (entry == null || entry.equals(ahead.get(id))) {
      ahead.remove(id);
    }
    if (entry == null || value == null) {
      tables.delete(Table.TRANSACTIONS, row);
    } else {
      byte[] bytes = new byte[value.remaining()];
      value.get(bytes);
      tables.put(Table.TRANSACTIONS, row, bytes);
    }
    if (entry == null || entry.state().isIdle()) {
      open.remove(id);
      tables.delete(Table.OPEN_TRANSACTIONS, row);
    } else {
      open.put(id, entry);
      tables.put(Table.OPEN_TRANSACTIONS, row, PRESENT);
    }
  }

  /** Markers have no place in this log. */
  @Override
  public void replayMarker(LoggedMarker marker) {}

  @Override
  public void forgetPending(String key) {
    ahead.remove(key);
  }

  /** What is known of the id, or null. */
  public @Nullable TxnEntry entry(String id) {
    TxnEntry entry = ahead.get(id);
    if (entry == null) {
      entry = open.get(id);
    }
    return entry == null ? stored(id) : entry;
  }

  /** Those with an open or prepared transaction. */
  public Collection<TxnEntry> open() {
    return Collections.unmodifiableCollection(open.values());
  }

  /** All, in order of the id's bytes. */
  public void forEach(Consumer<TxnEntry> visitor) {
    tables.scan(
        Table.TRANSACTIONS,
        new byte[0],
        (key, value) -> {
          visitor.accept(TxnCodec.entry(Keys.text(key), ByteBuffer.wrap(value)));
          return true;
        });
  }

  /** The completion is on its way: the next request may count on it. */
  void expect(TxnEntry completed) {
    ahead.put(completed.transactionalId(), completed);
  }

  private @Nullable TxnEntry stored(String id) {
    byte[] value = tables.get(Table.TRANSACTIONS, Keys.of(id));
    return value == null ? null : TxnCodec.entry(id, ByteBuffer.wrap(value));
  }
}
