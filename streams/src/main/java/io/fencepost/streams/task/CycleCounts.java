package io.fencepost.streams.task;

/** What one transaction holds so far. */
final class CycleCounts {
  long records;
  long emitted;
  long duplicates;
  long deadLetters;
  long bytes;
  long dropped;

  void add(Pipeline.Result result) {
    records++;
    duplicates += result.duplicates();
    dropped += result.dropped();
    if (result.isDead()) {
      deadLetters++;
    } else {
      emitted += result.outputs().size();
    }
  }

  /** A timer or window is no input: only what it came to counts. */
  void addTimer(Pipeline.Result result) {
    add(result);
    records--;
  }

  void add(CycleCounts other) {
    records += other.records;
    emitted += other.emitted;
    duplicates += other.duplicates;
    deadLetters += other.deadLetters;
    bytes += other.bytes;
    dropped += other.dropped;
  }

  void clear() {
    records = 0;
    emitted = 0;
    duplicates = 0;
    deadLetters = 0;
    bytes = 0;
    dropped = 0;
  }
}
