package io.fencepost.txn.group;

import io.fencepost.broker.port.Clock;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireException;
import io.fencepost.txn.group.consumer.ConsumerCodec;
import io.fencepost.txn.group.consumer.ConsumerGroup;
import io.fencepost.txn.shard.LoggedMarker;
import io.fencepost.txn.shard.LoggedRecord;
import io.fencepost.txn.shard.Shard;
import io.fencepost.txn.table.Keys;
import io.fencepost.txn.table.ShardTables;
import io.fencepost.txn.table.Table;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The groups and offsets of one partition of the offsets log. Offsets and completed generations are
 * rows, changed by replay alone. Who is about to join, and whose session runs, is soft and lives in
 * {@link ClassicGroup}: only groups with members, or with somebody on the way in, are in memory.
 *
 * <p>Groups of the newer protocol are all rows ({@link ConsumerRows}); soft are only the clocks of
 * their members. Markers and records are applied whatever a group is doing. Records of other kinds
 * (share and streams groups) are passed over. Single-threaded: under the lock of its runtime.
 */
public final class GroupShard implements Shard {
  private static final byte[] ALL = {};

  /** What all members here may take in memory; they tell of themselves what they like. */
  private static final long MAX_MEMBERS_BYTES = 8 << 20;

  private final ShardTables tables;
  private final Offsets offsets;
  private final GroupLimits limits;
  private final Clock clock;
  private final Consumer<Runnable> later;
  private final TreeMap<String, LiveGroup> live = new TreeMap<>();
  private final ConsumerRows consumers;
  private final TreeMap<String, LiveConsumers> liveConsumers = new TreeMap<>();

  /** Groups with commits on their way to the log: their offsets do not expire under them. */
  private final TreeMap<String, Integer> committing = new TreeMap<>();

  /**
   * @param later runs answers outside of the lock
   */
  public GroupShard(ShardTables tables, GroupLimits limits, Clock clock, Consumer<Runnable> later) {
    this.tables = tables;
    this.offsets = new Offsets(tables);
    this.consumers = new ConsumerRows(tables);
    this.limits = limits;
    this.clock = clock;
    this.later = later;
  }

  @Override
  public List<Table> tables() {
    return List.of(
        Table.GROUPS, Table.CONSUMER_GROUPS, Table.COMMITTED_OFFSETS, Table.STAGED_OFFSETS);
  }

  @Override
  public void load() {
    end(later);
    consumers.load();
    committing.clear();
  }

  @Override
  public void trim() {
    consumers.load();
  }

  @Override
  public void end(Consumer<Runnable> answers) {
    GroupEffects out = new GroupEffects();
    endAll(out);
    out.answers().forEach(answers);
  }

  @Override
  public void replay(LoggedRecord logged) {
    ByteBuffer key = logged.key();
    if (key == null || key.remaining() < Short.BYTES) {
      return;
    }
    short type = key.getShort();
    try {
      if (GroupCodec.isOffset(type)) {
        replayOffset(GroupCodec.offsetKey(key), logged);
      } else if (GroupCodec.isGroup(type)) {
        replayGroup(GroupCodec.groupId(key), logged.value());
      } else if (ConsumerCodec.isOurs(type)) {
        byte[] whole = new byte[Short.BYTES + key.remaining()];
        ByteBuffer.wrap(whole).putShort(type).put(key);
        consumers.replay(type, whole, logged.value());
      }
    } catch (WireException | BufferUnderflowException foreign) {
      // Whoever wrote this was no coordinator; one bad record must not take all groups away.
      return;
    }
  }

  private void replayOffset(OffsetKey key, LoggedRecord logged) {
    ByteBuffer value = logged.value();
    if (value == null) {
      offsets.replayDelete(key);
      return;
    }
    StoredOffset stored = GroupCodec.offsetValue(value, logged.offset());
    if (logged.transactional()) {
      offsets.replayStaged(logged.producerId(), logged.producerEpoch(), key, stored);
    } else {
      offsets.replayCommit(key, stored);
    }
  }

  private void replayGroup(String groupId, @Nullable ByteBuffer value) {
    if (value == null) {
      tables.delete(Table.GROUPS, Keys.of(groupId));
      return;
    }
    byte[] logged = new byte[value.remaining()];
    value.get(logged);
    // Read once here: a record of a foreign make is passed over now and does not fail every reader.
    if (GroupCodec.groupValue(logged).generation() >= 0) {
      tables.put(Table.GROUPS, Keys.of(groupId), logged);
    }
  }

  @Override
  public void replayMarker(LoggedMarker marker) {
    offsets.replayMarker(marker.producerId(), marker.producerEpoch(), marker.commit());
  }

  @Override
  public void forgetPending(String groupId) {
    consumers.forgetPending(groupId);
    LiveConsumers group = liveConsumers.get(groupId);
    if (group != null) {
      group.sessions.forgetTopics();
    }
  }

  public Offsets offsets() {
    return offsets;
  }

  ConsumerRows consumers() {
    return consumers;
  }

  /** The group of the newer protocol as the log has it; null if there is none. */
  public @Nullable ConsumerGroup findConsumer(String groupId) {
    return consumers.find(groupId);
  }

  LiveConsumers liveConsumers(String groupId, Supplier<LiveConsumers> made) {
    return liveConsumers.computeIfAbsent(groupId, id -> made.get());
  }

  void forgetConsumers(String groupId) {
    LiveConsumers group = liveConsumers.remove(groupId);
    if (group != null) {
      group.cancelTimer();
    }
    consumers.forgetIdle(groupId);
  }

  Moment now() {
    return Moment.of(clock);
  }

  /** The group if it has members, somebody on the way in, or a record; null otherwise. */
  public @Nullable ClassicGroup find(String groupId) {
    LiveGroup inMemory = live.get(groupId);
    if (inMemory != null) {
      return inMemory.group;
    }
    byte[] row = tables.get(Table.GROUPS, Keys.of(groupId));
    if (row == null) {
      return null;
    }
    ClassicGroup group = ClassicGroup.restore(groupId, GroupCodec.groupValue(row), limits, now());
    if (!group.isIdle()) {
      live.put(groupId, new LiveGroup(group));
    }
    return group;
  }

  /** The group, also if all that is known of it are offsets; null if there is nothing at all. */
  public @Nullable ClassicGroup findKnown(String groupId) {
    ClassicGroup group = find(groupId);
    if (group == null && offsets.knowsGroup(groupId)) {
      return new ClassicGroup(groupId, limits, now());
    }
    return group;
  }

  /** The group for somebody who wants to join it. */
  public ClassicGroup open(String groupId) {
    LiveGroup inMemory = live.get(groupId);
    if (inMemory != null) {
      return inMemory.group;
    }
    ClassicGroup group = find(groupId);
    if (group == null) {
      group = new ClassicGroup(groupId, limits, now());
    }
    live.put(groupId, new LiveGroup(group));
    return group;
  }

  /**
   * A JoinGroup. Refused if the members of all groups here would take more memory than they may,
   * however many groups they are spread over.
   */
  public void join(
      String groupId,
      JoinCommand command,
      Consumer<JoinResult> answer,
      Moment now,
      GroupEffects out) {
    if (hasRoomFor(groupId, command)) {
      open(groupId).join(command, answer, now, out);
    } else {
      JoinResult full = JoinResult.refused(WireError.GROUP_MAX_SIZE_REACHED, "");
      out.answer(() -> answer.accept(full));
    }
  }

  private boolean hasRoomFor(String groupId, JoinCommand command) {
    long sizeBytes = Member.STRUCT_BYTES + GroupProtocol.sizeBytes(command.protocols());
    for (LiveGroup group : live.values()) {
      sizeBytes += group.group.sizeBytes();
    }
    LiveGroup own = live.get(groupId);
    if (own != null) {
      sizeBytes -= own.group.sizeBytes(command.identity().memberId());
    }
    return sizeBytes <= MAX_MEMBERS_BYTES;
  }

  @Nullable LiveGroup live(String groupId) {
    return live.get(groupId);
  }

  void forget(String groupId) {
    LiveGroup group = live.remove(groupId);
    if (group != null) {
      group.cancelTimer();
    }
  }

  /** The classic groups of which there is a record, from this one on. */
  List<String> recorded(String fromId, int atMost) {
    List<String> ids = new ArrayList<>();
    tables.scanFrom(
        Table.GROUPS,
        Keys.of(fromId),
        (key, value) -> {
          ids.add(Keys.text(key));
          return ids.size() < atMost;
        });
    return ids;
  }

  /** All groups of which anything is known. */
  public SortedSet<String> ids() {
    SortedSet<String> ids = new TreeSet<>(live.keySet());
    ids.addAll(consumers.ids());
    tables.scan(
        Table.GROUPS,
        ALL,
        (key, value) -> {
          ids.add(Keys.text(key));
          return true;
        });
    offsets.forEach(
        (key, stored) -> {
          ids.add(key.group());
          return true;
        });
    for (OffsetKey staged : offsets.staged()) {
      ids.add(staged.group());
    }
    return ids;
  }

  /** How many groups are in memory in each state, by the state's name in the protocol. */
  SortedMap<String, Integer> countLive() {
    TreeMap<String, Integer> counts = new TreeMap<>();
    live.values()
        .forEach(group -> counts.merge(group.group.state().protocolName(), 1, Integer::sum));
    for (String groupId : liveConsumers.keySet()) {
      ConsumerGroup group = consumers.find(groupId);
      if (group != null) {
        counts.merge(group.state().protocolName(), 1, Integer::sum);
      }
    }
    return counts;
  }

  /** Ends all groups in memory. */
  private void endAll(GroupEffects out) {
    for (LiveGroup group : live.values()) {
      group.cancelTimer();
      group.group.die(WireError.NOT_COORDINATOR, now(), out);
    }
    live.clear();
    liveConsumers.values().forEach(LiveConsumers::cancelTimer);
    liveConsumers.clear();
  }

  boolean hasRow(String groupId) {
    return tables.get(Table.GROUPS, Keys.of(groupId)) != null;
  }

  void beginCommit(String groupId) {
    committing.merge(groupId, 1, Integer::sum);
  }

  void endCommit(String groupId) {
    committing.computeIfPresent(groupId, (id, count) -> count == 1 ? null : count - 1);
  }

  boolean isCommitting(String groupId) {
    return committing.containsKey(groupId);
  }
}
