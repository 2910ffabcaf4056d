package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Leader epoch → first offset, both growing. Kept in a small text file of Kafka's format, replaced
 * at each change. Single-threaded.
 */
public final class LeaderEpochs {
  private static final int VERSION = 0;

  private final Disk disk;
  private final String path;
  private final TreeMap<Integer, Long> starts;

  private LeaderEpochs(Disk disk, String path, TreeMap<Integer, Long> starts) {
    this.disk = disk;
    this.path = path;
    this.starts = starts;
  }

  /** Null if the file exists but cannot be trusted: rebuild from the log. */
  static @Nullable LeaderEpochs load(Disk disk, String path) {
    TreeMap<Integer, Long> starts = new TreeMap<>();
    if (disk.exists(path) && !parse(disk.read(path), starts)) {
      return null;
    }
    return new LeaderEpochs(disk, path, starts);
  }

  static LeaderEpochs empty(Disk disk, String path) {
    return new LeaderEpochs(disk, path, new TreeMap<>());
  }

  SortedMap<Integer, Long> starts() {
    return Collections.unmodifiableSortedMap(starts);
  }

  /** Whether an epoch is known of which the log, which ends here, has nothing. */
  boolean startsBehind(long endOffset) {
    return !starts.isEmpty() && starts.lastEntry().getValue() > endOffset;
  }

  /** -1 if there is none yet. */
  public int latestEpoch() {
    return starts.isEmpty() ? -1 : starts.lastKey();
  }

  /** The epoch in which the offset was written; -1 if unknown. */
  public int epochAt(long offset) {
    int epoch = -1;
    for (Map.Entry<Integer, Long> entry : starts.entrySet()) {
      if (entry.getValue() > offset) {
        break;
      }
      epoch = entry.getKey();
    }
    return epoch;
  }

  /**
   * Where the epoch, or the greatest one below it, ended: the start of the next one, or the log's
   * end for the latest. Unknown if it is above the latest or below the first.
   */
  public EpochEnd endOffsetFor(int epoch, long logEndOffset) {
    if (epoch < 0 || starts.isEmpty() || epoch > starts.lastKey()) {
      return EpochEnd.UNKNOWN;
    }
    Map.Entry<Integer, Long> known = starts.floorEntry(epoch);
    Map.Entry<Integer, Long> next = starts.higherEntry(epoch);
    if (next == null) {
      return new EpochEnd(epoch, logEndOffset);
    }
    // Nothing is left of epochs below the first; all of them ended where it began.
    return known == null
        ? new EpochEnd(epoch, next.getValue())
        : new EpochEnd(known.getKey(), next.getValue());
  }

  /** Says that the epoch begins at the offset; ignored if it is no newer than the latest. */
  public void assign(int epoch, long startOffset) {
    TreeMap<Integer, Long> before = new TreeMap<>(starts);
    if (note(epoch, startOffset)) {
      try {
        save();
      } catch (DiskException refused) {
        starts.clear();
        starts.putAll(before);
        throw refused;
      }
    }
  }

  /** Like {@link #assign}, for a scan that saves once at its end. */
  boolean note(int epoch, long startOffset) {
    if (epoch < 0 || epoch <= latestEpoch()) {
      return false;
    }
    // An epoch in which nothing was written is replaced by the one that begins at the same offset.
    starts.values().removeIf(start -> start >= startOffset);
    starts.put(epoch, startOffset);
    return true;
  }

  /** Drops epochs that began at or above the new end of the log. */
  void truncateFromEnd(long endOffset) {
    if (starts.values().removeIf(start -> start >= endOffset)) {
      save();
    }
  }

  /** Drops epochs that ended at or below the new start; the one that holds it begins there now. */
  void truncateFromStart(long startOffset) {
    int holding = epochAt(startOffset);
    if (holding < 0 || starts.firstEntry().getValue() >= startOffset) {
      return;
    }
    starts.headMap(holding).clear();
    starts.put(holding, startOffset);
    save();
  }

  void clear() {
    if (!starts.isEmpty()) {
      starts.clear();
      save();
    }
  }

  void save() {
    StringBuilder text = new StringBuilder();
    text.append(VERSION).append('\n').append(starts.size()).append('\n');
    starts.forEach((epoch, start) -> text.append(epoch).append(' ').append(start).append('\n'));
    disk.replace(path, text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static boolean parse(byte[] content, TreeMap<Integer, Long> starts) {
    String[] lines = new String(content, StandardCharsets.UTF_8).split("\n", -1);
    try {
      if (lines.length < 3
          || Integer.parseInt(lines[0]) != VERSION
          || Integer.parseInt(lines[1]) != lines.length - 3) {
        return false;
      }
      long previousStart = -1;
      for (int i = 2; i < lines.length - 1; i++) {
        int space = lines[i].indexOf(' ');
        int epoch = Integer.parseInt(lines[i].substring(0, Math.max(space, 0)));
        long start = Long.parseLong(lines[i].substring(space + 1));
        if (epoch < 0
            || start <= previousStart
            || (!starts.isEmpty() && epoch <= starts.lastKey())) {
          return false;
        }
        starts.put(epoch, start);
        previousStart = start;
      }
      return lines[lines.length - 1].isEmpty();
    } catch (NumberFormatException damaged) {
      return false;
    }
  }
}
