package io.fencepost.broker.log;

import java.util.ArrayDeque;

/**
 * Removed segments whose files stay open for a while: answers that are being sent still read from
 * them. Their names are gone already, so nothing else can.
 */
final class DroppedFiles {
  private final ArrayDeque<Dropped> files = new ArrayDeque<>();

  private record Dropped(Segment segment, long closeAtNanos) {}

  void add(Segment segment, long closeAtNanos) {
    files.add(new Dropped(segment, closeAtNanos));
  }

  /** Closes those whose time has come. */
  void sweep(long nowNanos) {
    Dropped first = files.peek();
    while (first != null && first.closeAtNanos - nowNanos <= 0) {
      files.remove();
      first.segment.close();
      first = files.peek();
    }
  }

  void closeAll() {
    files.forEach(dropped -> dropped.segment.close());
    files.clear();
  }
}
