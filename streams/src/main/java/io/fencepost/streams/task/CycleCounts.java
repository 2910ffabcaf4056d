package io.fencepost.streams.task;

/** What one transaction holds so far. */
final class CycleCounts {
  long records;
  long emitted;
  long duplicates;
  long deadLetters;

  void add(int outputs, int repeated, boolean isDead) {
    records++;
    duplicates += repeated;
    if (isDead) {
      deadLetters++;
    } else {
      emitted += outputs;
    }
  }

  void add(CycleCounts other) {
    records += other.records;
    emitted += other.emitted;
    duplicates += other.duplicates;
    deadLetters += other.deadLetters;
  }

  void clear() {
    records = 0;
    emitted = 0;
    duplicates = 0;
    deadLetters = 0;
  }
}
