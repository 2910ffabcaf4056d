package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Read;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a job was given in one partition, and what it made of each of these records. */
final class InputLog {
  private final @Nullable OffsetSeen committed;
  private final List<Read> records;
  private final int committedCount;
  private final @Nullable Read[] made;
  private final BitSet again = new BitSet();

  /**
   * Nothing is made of it yet.
   *
   * @param records in order of offsets
   * @param committed what told the committed offset last; null if nothing did
   */
  InputLog(List<Read> records, @Nullable OffsetSeen committed) {
    this.committed = committed;
    this.records = records;
    this.committedCount = committed == null ? 0 : firstNotBelow(records, committed.offset());
    this.made = new @Nullable Read[records.size()];
  }

  private static int firstNotBelow(List<Read> log, long offset) {
    int low = 0;
    int high = log.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (log.get(middle).offset() < offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Marks the records whose key was there before; gives one that has no key, null if all have. */
  @Nullable Read markAgain() {
    TreeMap<String, Integer> seen = new TreeMap<>();
    for (int i = 0; i < records.size(); i++) {
      String key = Content.of(records.get(i)).key();
      if (key.isEmpty()) {
        return records.get(i);
      }
      again.set(i, seen.putIfAbsent(key, i) != null);
    }
    return null;
  }

  int size() {
    return records.size();
  }

  Read record(int index) {
    return records.get(index);
  }

  /** Those below the committed offset. */
  List<Read> committedRecords() {
    return records.subList(0, committedCount);
  }

  boolean isCommitted(int index) {
    return index >= 0 && index < committedCount;
  }

  /** With what told the committed offset, if anything did. */
  Event[] withCommitted(Read read) {
    return committed == null ? new Event[] {read} : new Event[] {read, committed};
  }

  boolean isAgain(int index) {
    return again.get(index);
  }

  /** The first record with the key of this one. */
  Read firstWithKeyOf(int index) {
    String key = Content.of(records.get(index)).key();
    return records.stream()
        .filter(read -> Content.of(read).key().equals(key))
        .findFirst()
        .orElseThrow();
  }

  /** What was made of a record, as it was noted first; null if nothing was. */
  @Nullable Read made(int index) {
    return made[index];
  }

  /** The index of the record at this offset; negative if there is none. */
  int indexOf(long offset) {
    int index = firstNotBelow(records, offset);
    return index < records.size() && records.get(index).offset() == offset ? index : -1;
  }

  /** Notes what was made of a record; gives what was noted before, null if nothing was. */
  @Nullable Read note(int index, Read output) {
    Read before = made[index];
    made[index] = before == null ? output : before;
    return before;
  }

  /** Of how many records below the committed offset something was made. */
  long madeCount() {
    return Arrays.stream(made, 0, committedCount).filter(Objects::nonNull).count();
  }
}
