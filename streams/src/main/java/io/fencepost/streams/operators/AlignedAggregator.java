package io.fencepost.streams.operators;

import io.fencepost.streams.Message;
import io.fencepost.streams.Windowed;
import io.fencepost.streams.Windows;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates by key and tumbling or hopping window. Its store, in which the first to close stands
 * first:
 *
 * <pre>
 * key as {@link Windowed#serde} writes it (end, start, key)   ->  aggregate
 * </pre>
 *
 * <p>So a window keeps the bounds that it was opened with, should its sizes be changed later.
 */
public final class AlignedAggregator<K, V, A> extends WindowAggregator<K, V, A> {
  private static final int BOUNDS_BYTES = 16;

  private final Alignment alignment;

  public AlignedAggregator(Windows.Aligned windows, Windowing<K, V, A> windowing) {
    super(windowing);
    this.alignment = new Alignment(windows.size().toMillis(), windows.advance().toMillis());
  }

  @Override
  boolean add(Message<K, V> input) {
    long timeMs = input.timestampMs();
    boolean isTaken = false;
    for (long startMs = alignment.firstStartMs(timeMs);
        startMs <= timeMs;
        startMs += alignment.advanceMs()) {
      long endMs = alignment.endMs(startMs);
      if (!isClosed(endMs)) {
        add(input, new Windowed<>(input.key(), startMs, endMs));
        isTaken = true;
      }
    }
    return isTaken;
  }

  private void add(Message<K, V> input, Windowed<K> window) {
    byte[] place = place(window);
    byte[] stored = store().get(place);
    A before = stored == null ? null : aggregate(stored);
    A after = fold().add(input.key(), input.value(), before);
    if (after != null) {
      store().put(place, bytes(after));
      noteEnd(window.endMs());
      update(input, window, after);
    } else if (before != null) {
      store().delete(place);
      update(input, window, null);
    }
  }

  private byte[] place(Windowed<K> window) {
    return place(window.startMs(), window.endMs(), keyBytes(window.key()));
  }

  private static byte[] place(long startMs, long endMs, byte[] key) {
    return ByteBuffer.allocate(BOUNDS_BYTES + key.length)
        .putLong(OrderedTime.bits(endMs))
        .putLong(OrderedTime.bits(startMs))
        .put(key)
        .array();
  }

  @Override
  @Nullable Entry firstEntry(long endMs) {
    return first(OrderedTime.bytes(endMs), null);
  }

  @Override
  long endMs(Entry entry) {
    return OrderedTime.read(entry.key(), 0);
  }

  @Override
  ClosedWindow closed(Entry entry) {
    byte[] key = Arrays.copyOfRange(entry.key(), BOUNDS_BYTES, entry.key().length);
    long startMs = OrderedTime.read(entry.key(), 8);
    long endMs = endMs(entry);
    return new ClosedWindow(key, startMs, endMs, dueMs(endMs), entry.value());
  }

  @Override
  public void delete(ClosedWindow window) {
    store().delete(place(window.startMs(), window.endMs(), window.key()));
  }
}
