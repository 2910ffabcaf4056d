package io.fencepost.streams.task;

import io.fencepost.streams.Timer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one operator in one of its task's tables, twice each:
 *
 * <pre>
 * kind 1 or 2, time, key, name   -> nothing    found by time
 * kind 3 or 4, key, name         -> time       found by key
 * </pre>
 */
final class TimerTable {
  private static final byte[] NOTHING = new byte[0];
  private static final int KINDS = Timer.Kind.values().length;

  /** A timer that is due. */
  record Due(Timer.Kind kind, byte[] key, String name, long timeMs) {}

  private final TaskContext context;
  private final int table;
  private final long[] nextMs = new long[KINDS];
  private final long[] knownAt = new long[KINDS];

  TimerTable(TaskContext context, int table) {
    this.context = context;
    this.table = table;
    for (Timer.Kind kind : Timer.Kind.values()) {
      forget(kind);
    }
  }

  void set(Timer.Kind kind, byte[] key, String name, long timeMs) {
    cancel(kind, key, name);
    context.state().put(table, byKey(kind, key, name), Longs.write(timeMs));
    context.state().put(table, byTime(kind, timeMs, key, name), NOTHING);
    if (isKnown(kind)) {
      nextMs[kind.ordinal()] = Math.min(nextMs[kind.ordinal()], timeMs);
    }
  }

  void cancel(Timer.Kind kind, byte[] key, String name) {
    byte[] byKey = byKey(kind, key, name);
    byte[] time = context.state().get(table, byKey);
    if (time != null) {
      context.state().put(table, byKey, null);
      context.state().put(table, byTime(kind, Longs.read(time), key, name), null);
      forget(kind);
    }
  }

  /** The first timer of that kind at or before that time; null if none is due. */
  @Nullable Due due(Timer.Kind kind, long nowMs) {
    if (isKnown(kind) && nextMs[kind.ordinal()] > nowMs) {
      return null;
    }
    byte first = (byte) (1 + kind.ordinal());
    List<StateBuffer.Entry> entries =
        context.state().scan(table, new byte[] {first}, new byte[] {(byte) (first + 1)}, 1);
    knownAt[kind.ordinal()] = context.changeOfHistory();
    if (entries.isEmpty()) {
      nextMs[kind.ordinal()] = Long.MAX_VALUE;
      return null;
    }
    Due next = read(kind, entries.get(0).key());
    nextMs[kind.ordinal()] = next.timeMs();
    return next.timeMs() > nowMs ? null : next;
  }

  private boolean isKnown(Timer.Kind kind) {
    return knownAt[kind.ordinal()] == context.changeOfHistory();
  }

  private void forget(Timer.Kind kind) {
    knownAt[kind.ordinal()] = -1;
  }

  private static byte[] byTime(Timer.Kind kind, long timeMs, byte[] key, String name) {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(13 + key.length + nameBytes.length)
        .put((byte) (1 + kind.ordinal()))
        .putLong(timeMs ^ Long.MIN_VALUE)
        .putInt(key.length)
        .put(key)
        .put(nameBytes)
        .array();
  }

  private static byte[] byKey(Timer.Kind kind, byte[] key, String name) {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(5 + key.length + nameBytes.length)
        .put((byte) (1 + KINDS + kind.ordinal()))
        .putInt(key.length)
        .put(key)
        .put(nameBytes)
        .array();
  }

  private static Due read(Timer.Kind kind, byte[] byTime) {
    ByteBuffer buffer = ByteBuffer.wrap(byTime, 1, byTime.length - 1);
    long timeMs = buffer.getLong() ^ Long.MIN_VALUE;
    byte[] key = new byte[buffer.getInt()];
    buffer.get(key);
    return new Due(kind, key, StandardCharsets.UTF_8.decode(buffer).toString(), timeMs);
  }
}
