package io.fencepost.streams.operators;

import io.fencepost.streams.Message;
import io.fencepost.streams.SideOutput;
import io.fencepost.streams.Store;
import io.fencepost.streams.Windowed;
import io.fencepost.streams.Windows;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates by key and window. What is open or closed is a function of event time alone, so that
 * it does not matter when closed windows are really taken out of the store.
 */
abstract class WindowAggregator<K, V, A> extends Operating<K, V, Windowed<K>, A>
    implements ClosingProcessor<K, V, Windowed<K>, A> {
  private final Windowing<K, V, A> windowing;
  private final FirstEnd firstEnd = new FirstEnd();

  /** One entry of the store. */
  record Entry(byte[] key, byte[] value) {}

  WindowAggregator(Windowing<K, V, A> windowing) {
    this.windowing = windowing;
  }

  /** Adds the message to the windows of its time that are open; false if there is none. */
  abstract boolean add(Message<K, V> input);

  /** The store's first entry of a window that ends at or after that time; null if there is none. */
  abstract @Nullable Entry firstEntry(long endMs);

  abstract long endMs(Entry entry);

  /** What is to be done with a window whose entry says that it has closed. */
  abstract ClosedWindow closed(Entry entry);

  @Override
  public final void process(Message<K, V> input) {
    if (input.key() == null) {
      throw new IllegalArgumentException(
          "it has no key, and " + windowing.name() + " keeps windows by key");
    }
    long timeMs = input.timestampMs();
    if (timeMs > Windows.MAX_MS || timeMs < -Windows.MAX_MS) {
      throw new IllegalArgumentException("its time " + timeMs + " is out of range");
    }
    if (!add(input)) {
      SideOutput<K, V> late = windowing.late();
      if (late == null) {
        context().countDropped();
      } else {
        context().emit(late, input);
      }
    }
  }

  // ---- closing

  final boolean isClosed(long endMs) {
    return endMs <= passedMs();
  }

  /** Windows that end here or before have closed. */
  private long passedMs() {
    long eventTimeMs = context().eventTimeMs();
    return eventTimeMs == Long.MIN_VALUE ? eventTimeMs : eventTimeMs - windowing.graceMs();
  }

  @Override
  public final @Nullable ClosedWindow firstClosed() {
    long history = context().history();
    long atLeastMs = firstEnd.atLeastMs(history);
    if (atLeastMs > passedMs()) {
      return null;
    }
    Entry first = firstEntry(atLeastMs);
    if (first == null) {
      firstEnd.found(history, Long.MAX_VALUE);
      return null;
    }
    long endMs = endMs(first);
    firstEnd.found(history, endMs);
    return isClosed(endMs) ? closed(first) : null;
  }

  /** To be told of each entry that is put where {@link #firstEntry} finds it. */
  final void noteEnd(long endMs) {
    firstEnd.added(context().history(), endMs);
  }

  @Override
  public final void emit(ClosedWindow window) {
    byte[] aggregate = window.aggregate();
    if (aggregate != null && windowing.emission() == Emission.WHEN_CLOSED) {
      K key = windowing.keySerde().deserializer().deserialize(windowing.name(), window.key());
      Windowed<K> windowed = new Windowed<>(key, window.startMs(), window.endMs());
      context().emit(context().message(windowed, aggregate(aggregate), window.endMs() - 1));
    }
  }

  // ---- aggregates

  final Fold<K, V, A> fold() {
    return windowing.fold();
  }

  /** Passes a change on, if anybody wants changes. */
  final void update(Message<K, V> input, Windowed<K> window, @Nullable A aggregate) {
    if (windowing.emission() == Emission.ON_EACH_UPDATE) {
      context().emit(input.withKey(window).withValue(aggregate));
    }
  }

  final A aggregate(byte[] bytes) {
    return windowing.aggregateSerde().deserializer().deserialize(windowing.name(), bytes);
  }

  final byte[] bytes(A aggregate) {
    byte[] bytes = windowing.aggregateSerde().serializer().serialize(windowing.name(), aggregate);
    if (bytes == null) {
      throw new IllegalArgumentException("an aggregate of " + windowing.name() + " became null");
    }
    return bytes;
  }

  final byte[] keyBytes(K key) {
    byte[] bytes = windowing.keySerde().serializer().serialize(windowing.name(), key);
    if (bytes == null) {
      throw new IllegalArgumentException("a key of " + windowing.name() + " became null");
    }
    return bytes;
  }

  // ---- the store

  final Store<byte[], byte[]> store() {
    return context().store(windowing.store());
  }

  final long dueMs(long endMs) {
    return endMs + windowing.graceMs();
  }

  /** The first entry with {@code from <= key < to}. */
  final @Nullable Entry first(byte[] from, byte @Nullable [] to) {
    List<Entry> found = new ArrayList<>(1);
    store()
        .forEach(
            from,
            to,
            (key, value) -> {
              found.add(new Entry(key, value));
              return false;
            });
    return found.isEmpty() ? null : found.get(0);
  }
}
