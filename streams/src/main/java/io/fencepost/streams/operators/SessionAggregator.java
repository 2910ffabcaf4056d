package io.fencepost.streams.operators;

import io.fencepost.streams.Message;
import io.fencepost.streams.Windowed;
import io.fencepost.streams.Windows;
import io.fencepost.streams.operators.OpenSessions.Session;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates by key and session. Its store:
 *
 * <pre>
 * 1, end (8 bytes, sign bit inverted), key   ->  nothing                 the plan: when to look
 * 2, key                                     ->  {@link OpenSessions}    what there is
 * </pre>
 *
 * <p>Each key with sessions is in the plan once, at or before the end of its first session. A
 * session that grows leaves the plan alone; when the planned time has come, the key is put where it
 * now belongs. So a message of a session costs one read and one write.
 */
public final class SessionAggregator<K, V, A> extends WindowAggregator<K, V, A> {
  private static final byte PLAN = 1;
  private static final byte SESSIONS = 2;
  private static final int PLAN_HEAD_BYTES = 9;
  private static final byte[] NOTHING = new byte[0];
  private static final byte[] PLAN_END = {SESSIONS};

  private final long gapMs;
  private final BinaryOperator<A> merger;

  public SessionAggregator(
      Windows.Sessions windows, Windowing<K, V, A> windowing, BinaryOperator<A> merger) {
    super(windowing);
    this.gapMs = windows.gap().toMillis();
    this.merger = merger;
  }

  @Override
  boolean add(Message<K, V> input) {
    byte[] key = keyBytes(input.key());
    OpenSessions before = sessions(key);
    SessionJoin join =
        SessionJoin.of(before.sessions(), input.timestampMs(), gapMs, this::isClosed);
    if (isClosed(join.endMs())) {
      return false;
    }
    A after = fold().add(input.key(), input.value(), merged(join.joined()));
    Windowed<K> window = new Windowed<>(input.key(), join.startMs(), join.endMs());
    if (after != null) {
      put(key, before.plannedMs(), join.with(bytes(after)));
      takeBack(input, join.joined(), window);
      update(input, window, after);
    } else if (!join.joined().isEmpty()) {
      put(key, before.plannedMs(), join.others());
      takeBack(input, join.joined(), null);
    }
    return true;
  }

  private @Nullable A merged(List<Session> joined) {
    A merged = null;
    for (Session session : joined) {
      A next = aggregate(session.aggregate());
      merged = merged == null ? next : merger.apply(merged, next);
    }
    return merged;
  }

  /** What was said of sessions that are part of another one now, or gone, no longer holds. */
  private void takeBack(Message<K, V> input, List<Session> joined, @Nullable Windowed<K> stays) {
    for (Session session : joined) {
      Windowed<K> window = new Windowed<>(input.key(), session.startMs(), session.endMs());
      if (!window.equals(stays)) {
        update(input, window, null);
      }
    }
  }

  // ---- closing

  @Override
  @Nullable Entry firstEntry(long endMs) {
    return first(planPlace(endMs, NOTHING), PLAN_END);
  }

  @Override
  long endMs(Entry entry) {
    return OrderedTime.read(entry.key(), 1);
  }

  @Override
  ClosedWindow closed(Entry entry) {
    byte[] key = Arrays.copyOfRange(entry.key(), PLAN_HEAD_BYTES, entry.key().length);
    Session first = sessions(key).first();
    long plannedMs = endMs(entry);
    byte[] aggregate = first.endMs() == plannedMs ? first.aggregate() : null;
    return new ClosedWindow(key, first.startMs(), first.endMs(), dueMs(plannedMs), aggregate);
  }

  @Override
  public void delete(ClosedWindow window) {
    OpenSessions before = sessions(window.key());
    int gone = window.aggregate() == null ? 0 : 1;
    store().delete(planPlace(before.plannedMs(), window.key()));
    put(
        window.key(),
        OpenSessions.UNPLANNED,
        before.sessions().subList(gone, before.sessions().size()));
  }

  // ---- the store

  private OpenSessions sessions(byte[] key) {
    byte[] stored = store().get(sessionsPlace(key));
    return stored == null ? OpenSessions.NONE : OpenSessions.read(stored);
  }

  private void put(byte[] key, long plannedBeforeMs, List<Session> sessions) {
    long plannedMs = sessions.isEmpty() ? OpenSessions.UNPLANNED : sessions.get(0).endMs();
    boolean isPlanGood = plannedBeforeMs <= plannedMs && !sessions.isEmpty();
    if (plannedBeforeMs != OpenSessions.UNPLANNED && !isPlanGood) {
      store().delete(planPlace(plannedBeforeMs, key));
    }
    if (sessions.isEmpty()) {
      store().delete(sessionsPlace(key));
      return;
    }
    if (!isPlanGood) {
      store().put(planPlace(plannedMs, key), NOTHING);
      noteEnd(plannedMs);
    }
    long kept = isPlanGood ? plannedBeforeMs : plannedMs;
    store().put(sessionsPlace(key), new OpenSessions(kept, sessions).write());
  }

  private static byte[] planPlace(long endMs, byte[] key) {
    return ByteBuffer.allocate(PLAN_HEAD_BYTES + key.length)
        .put(PLAN)
        .putLong(OrderedTime.bits(endMs))
        .put(key)
        .array();
  }

  private static byte[] sessionsPlace(byte[] key) {
    return ByteBuffer.allocate(1 + key.length).put(SESSIONS).put(key).array();
  }
}
