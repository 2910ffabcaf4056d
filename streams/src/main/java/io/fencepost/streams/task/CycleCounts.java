package io.fencepost.streams.task;

/** What one transaction holds so far. */
final class CycleCounts {
  long records;
  long emitted;
  long duplicates;
  long deadLetters;
  long bytes;

  void add(int outputs, int repeated, boolean isDead) {
    records++;
    duplicates += repeated;
    if (isDead) {
      deadLetters++;
    } else {
      emitted += outputs;
    }
  }

  /** A timer is no input: only what it came to counts. */
  void addTimer(int outputs, boolean isDead) {
    add(outputs, 0, isDead);
    records--;
  }

  void add(CycleCounts other) {
    records += other.records;
    emitted += other.emitted;
    duplicates += other.duplicates;
    deadLetters += other.deadLetters;
    bytes += other.bytes;
  }

  void clear() {
    records = 0;
    emitted = 0;
    duplicates = 0;
    deadLetters = 0;
    bytes = 0;
  }
}
