package io.fencepost.streams.task;

import io.fencepost.streams.Timer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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

  /** The timers of one kind: where they stand in the table, and what is known of the first. */
  private static final class Line {
    final byte timePrefix;
    final byte keyPrefix;
    long nextMs;
    long knownAt = -1;

    /** No timer stands before that place: a look passes over none that was fired just now. */
    byte[] floor = {};

    long floorAt = -1;

    Line(int timePrefix, int keyPrefix) {
      this.timePrefix = (byte) timePrefix;
      this.keyPrefix = (byte) keyPrefix;
    }
  }

  private final TaskContext context;
  private final int table;
  private final Line eventTime = new Line(1, 3);
  private final Line wallClock = new Line(2, 4);

  TimerTable(TaskContext context, int table) {
    this.context = context;
    this.table = table;
  }

  private Line line(Timer.Kind kind) {
    return kind == Timer.Kind.EVENT_TIME ? eventTime : wallClock;
  }

  void set(Timer.Kind kind, byte[] key, String name, long timeMs) {
    cancel(kind, key, name);
    Line line = line(kind);
    context.state().put(table, byKey(line, key, name), Longs.write(timeMs));
    byte[] byTime = byTime(line, timeMs, key, name);
    context.state().put(table, byTime, NOTHING);
    if (Arrays.compareUnsigned(byTime, line.floor) < 0) {
      line.floor = byTime;
    }
    if (isKnown(line)) {
      line.nextMs = Math.min(line.nextMs, timeMs);
    }
  }

  void cancel(Timer.Kind kind, byte[] key, String name) {
    Line line = line(kind);
    byte[] byKey = byKey(line, key, name);
    byte[] time = context.state().get(table, byKey);
    if (time != null) {
      context.state().put(table, byKey, null);
      context.state().put(table, byTime(line, Longs.read(time), key, name), null);
      line.knownAt = -1;
    }
  }

  /** The first timer of that kind at or before that time; null if none is due. */
  @Nullable Due due(Timer.Kind kind, long nowMs) {
    Line line = line(kind);
    if (isKnown(line) && line.nextMs > nowMs) {
      return null;
    }
    boolean isFloorKnown = line.floorAt == context.changeOfHistory();
    byte[] from = isFloorKnown ? line.floor : new byte[] {line.timePrefix};
    byte[] to = {(byte) (line.timePrefix + 1)};
    List<StateBuffer.Entry> entries = context.state().scan(table, from, to, 1);
    line.knownAt = context.changeOfHistory();
    line.floorAt = line.knownAt;
    line.floor = entries.isEmpty() ? from : entries.get(0).key();
    if (entries.isEmpty()) {
      line.nextMs = Long.MAX_VALUE;
      return null;
    }
    Due next = read(kind, entries.get(0).key());
    line.nextMs = next.timeMs();
    return next.timeMs() > nowMs ? null : next;
  }

  private boolean isKnown(Line line) {
    return line.knownAt == context.changeOfHistory();
  }

  private static byte[] byTime(Line line, long timeMs, byte[] key, String name) {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(13 + key.length + nameBytes.length)
        .put(line.timePrefix)
        .putLong(timeMs ^ Long.MIN_VALUE)
        .putInt(key.length)
        .put(key)
        .put(nameBytes)
        .array();
  }

  private static byte[] byKey(Line line, byte[] key, String name) {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(5 + key.length + nameBytes.length)
        .put(line.keyPrefix)
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
    return Due.timer(kind, key, StandardCharsets.UTF_8.decode(buffer).toString(), timeMs);
  }
}
