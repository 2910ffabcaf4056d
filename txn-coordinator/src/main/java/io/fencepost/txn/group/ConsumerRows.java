package io.fencepost.txn.group;

import io.fencepost.txn.group.consumer.ConsumerCodec;
import io.fencepost.txn.group.consumer.ConsumerGroup;
import io.fencepost.txn.table.Keys;
import io.fencepost.txn.table.ShardTables;
import io.fencepost.txn.table.Table;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The groups of the newer protocol in one partition of the offsets log. A row for each record that
 * counts, changed by {@link #replay} alone; groups that somebody asked for are kept in memory, too.
 *
 * <p>While a decision about a group is on its way to the log, what it will lead to is noted.
 * Commits are measured by that, so that a member that is being thrown out can commit nothing that
 * stands after its end in the log. Single-threaded: under the lock of the shard's runtime.
 */
final class ConsumerRows {
  private static final byte[] ALL = {};

  private final ShardTables tables;
  private final TreeMap<String, ConsumerGroup> applied = new TreeMap<>();
  private final TreeMap<String, ConsumerGroup> pending = new TreeMap<>();

  ConsumerRows(ShardTables tables) {
    this.tables = tables;
  }

  void load() {
    applied.clear();
    pending.clear();
  }

  void replay(short type, byte[] recordKey, @Nullable ByteBuffer value) {
    byte[] logged = null;
    if (value != null) {
      logged = new byte[value.remaining()];
      value.get(logged);
    }
    ConsumerCodec.Logged change = read(type, recordKey, logged);
    String groupId = change.groupId();
    ConsumerGroup group = applied(groupId);
    byte[] row = Keys.join(rowPrefix(groupId), recordKey);
    if (logged == null) {
      tables.delete(Table.CONSUMER_GROUPS, row);
    } else {
      tables.put(Table.CONSUMER_GROUPS, row, logged);
    }
    group.apply(change.change());
    pending.remove(groupId);
  }

  private static ConsumerCodec.Logged read(short type, byte[] key, byte @Nullable [] value) {
    ByteBuffer afterType = ByteBuffer.wrap(key);
    afterType.getShort();
    return ConsumerCodec.read(type, afterType, value == null ? null : ByteBuffer.wrap(value));
  }

  private ConsumerGroup applied(String groupId) {
    ConsumerGroup known = applied.get(groupId);
    if (known != null) {
      return known;
    }
    ConsumerGroup group = new ConsumerGroup(groupId);
    int prefixBytes = rowPrefix(groupId).length;
    tables.scan(
        Table.CONSUMER_GROUPS,
        rowPrefix(groupId),
        (row, value) -> {
          ByteBuffer key = ByteBuffer.wrap(row, prefixBytes, row.length - prefixBytes);
          short type = key.getShort();
          group.apply(ConsumerCodec.read(type, key, ByteBuffer.wrap(value)).change());
          return true;
        });
    applied.put(groupId, group);
    return group;
  }

  /** The group as the log says it; null if there is none. */
  @Nullable ConsumerGroup find(String groupId) {
    ConsumerGroup group = applied(groupId);
    if (!group.exists()) {
      applied.remove(groupId);
      return null;
    }
    return group;
  }

  /** The group as it will be when all that is decided is logged; null if there will be none. */
  @Nullable ConsumerGroup current(String groupId) {
    ConsumerGroup noted = pending.get(groupId);
    if (noted != null) {
      return noted.exists() ? noted : null;
    }
    return find(groupId);
  }

  /** A decision about the group goes to the log. */
  void note(ConsumerGroup next) {
    pending.put(next.id(), next);
  }

  /** It did not come about. */
  void forgetPending(String groupId) {
    pending.remove(groupId);
  }

  /** Drops a group without members from memory; its rows stay. */
  void forgetIdle(String groupId) {
    ConsumerGroup group = applied.get(groupId);
    if (group != null && group.members().isEmpty()) {
      applied.remove(groupId);
    }
  }

  /** All groups of this kind. */
  SortedSet<String> ids() {
    SortedSet<String> ids = new TreeSet<>();
    tables.scan(
        Table.CONSUMER_GROUPS,
        ALL,
        (row, value) -> {
          ids.add(groupOf(row));
          return true;
        });
    ids.removeIf(groupId -> find(groupId) == null);
    ids.forEach(this::forgetIdle);
    return ids;
  }

  /** Those of which there is any record, after this one; the empty id comes before all. */
  List<String> recorded(String afterId, int atMost) {
    List<String> ids = new ArrayList<>();
    byte[] next = afterId.isEmpty() ? ALL : afterRows(afterId);
    while (ids.size() < atMost) {
      int before = ids.size();
      tables.scanFrom(
          Table.CONSUMER_GROUPS,
          next,
          (row, value) -> {
            ids.add(groupOf(row));
            return false;
          });
      if (ids.size() == before) {
        break;
      }
      next = afterRows(ids.get(before));
    }
    return ids;
  }

  /** No row of the group is above this key: the types of records are not negative. */
  private static byte[] afterRows(String groupId) {
    return Keys.join(rowPrefix(groupId), new byte[] {-1});
  }

  private static byte[] rowPrefix(String groupId) {
    byte[] name = Keys.of(groupId);
    return Keys.join(Keys.of(name.length), name);
  }

  /** The key of the record that the row is from, with its type; null if it is no such row. */
  static @Nullable ByteBuffer loggedKey(byte[] row) {
    ByteBuffer in = ByteBuffer.wrap(row);
    if (in.remaining() < Integer.BYTES) {
      return null;
    }
    int nameBytes = in.getInt();
    if (nameBytes < 0 || nameBytes > in.remaining() - Short.BYTES) {
      return null;
    }
    return in.position(in.position() + nameBytes).slice();
  }

  private static String groupOf(byte[] row) {
    ByteBuffer in = ByteBuffer.wrap(row);
    byte[] name = new byte[in.getInt()];
    in.get(name);
    return Keys.text(name);
  }
}
