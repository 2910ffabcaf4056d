package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The smaller files in a partition's directory, as fields with names, for tools that show them. */
public final class LogFiles {
  private static final int OFFSET_ENTRY_BYTES = 8;
  private static final int TIME_ENTRY_BYTES = 12;
  private static final int ABORTED_ENTRY_BYTES = 34;

  private LogFiles() {}

  /** What a file is, by its name. */
  public enum Kind {
    LOG(SegmentNames.LOG),
    INDEX(SegmentNames.INDEX),
    TIMEINDEX(SegmentNames.TIME_INDEX),
    TXNINDEX(SegmentNames.TXN_INDEX),
    SNAPSHOT(SegmentNames.SNAPSHOT),
    EPOCHS(SegmentNames.LEADER_EPOCHS),
    RECOVERY(SegmentNames.RECOVERY_POINT),
    START(SegmentNames.LOG_START);

    private final String name;

    Kind(String name) {
      this.name = name;
    }

    /** The kind of a file of this name, or null. */
    public static @Nullable Kind of(String fileName) {
      for (Kind kind : values()) {
        if (fileName.equals(kind.name) || SegmentNames.offset(fileName, kind.name) >= 0) {
          return kind;
        }
      }
      return null;
    }

    /** The offset in the name of such a file; -1 if there is none. */
    public long offset(String fileName) {
      return SegmentNames.offset(fileName, name);
    }
  }

  /** Sees the entries of an index in order. */
  @FunctionalInterface
  public interface EntryVisitor {
    void entry(int number, Map<String, Object> fields);
  }

  /**
   * Shows an index; returns how many bytes at its end are no entry.
   *
   * @param kind INDEX, TIMEINDEX or TXNINDEX
   * @param baseOffset of the segment, which entries count from
   */
  public static long entries(
      Disk disk, String path, Kind kind, long baseOffset, EntryVisitor visitor) {
    return switch (kind) {
      case INDEX -> offsetEntries(new OffsetIndex(disk, path, baseOffset), visitor);
      case TIMEINDEX -> timeEntries(new TimeIndex(disk, path, baseOffset), visitor);
      case TXNINDEX -> abortedEntries(new AbortedIndex(disk, path), visitor);
      default -> throw new IllegalArgumentException(path + " is no index");
    };
  }

  private static long offsetEntries(OffsetIndex index, EntryVisitor visitor) {
    for (int i = 0; i < index.count(); i++) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("lastOffset", index.offset(i));
      fields.put("position", index.position(i));
      visitor.entry(i, fields);
    }
    return end(index.file(), OFFSET_ENTRY_BYTES);
  }

  private static long timeEntries(TimeIndex index, EntryVisitor visitor) {
    for (int i = 0; i < index.count(); i++) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("timestamp", index.timestamp(i));
      fields.put("lastOffset", index.offset(i));
      visitor.entry(i, fields);
    }
    return end(index.file(), TIME_ENTRY_BYTES);
  }

  private static long abortedEntries(AbortedIndex index, EntryVisitor visitor) {
    for (int i = 0; i < index.count(); i++) {
      AbortedTxn txn = index.at(i);
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("producerId", txn.producerId());
      fields.put("firstOffset", txn.firstOffset());
      fields.put("markerOffset", txn.lastOffset());
      fields.put("lastStableOffset", txn.lastStableOffset());
      visitor.entry(i, fields);
    }
    return end(index.file(), ABORTED_ENTRY_BYTES);
  }

  private static long end(IndexFile file, int entryBytes) {
    long behind = file.isOnDisk() ? file.sizeBytes() % entryBytes : 0;
    file.close();
    return behind;
  }

  /**
   * The fields of a checkpoint; null if its content does not fit its checksum or form.
   *
   * @param kind EPOCHS, RECOVERY or START
   */
  public static @Nullable Map<String, Object> checkpoint(Disk disk, String path, Kind kind) {
    return switch (kind) {
      case EPOCHS -> epochs(disk, path);
      case RECOVERY -> recoveryPoint(disk, path);
      case START -> start(disk, path);
      default -> throw new IllegalArgumentException(path + " is no checkpoint");
    };
  }

  private static @Nullable Map<String, Object> epochs(Disk disk, String path) {
    LeaderEpochs epochs = LeaderEpochs.load(disk, path);
    if (epochs == null) {
      return null;
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("startByEpoch", new TreeMap<>(epochs.starts()));
    return fields;
  }

  private static @Nullable Map<String, Object> recoveryPoint(Disk disk, String path) {
    RecoveryPoint point = RecoveryPoint.load(disk, path);
    if (point == null) {
      return null;
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("durableUpTo", point.offset());
    RecoveryPoint.StoppedAt stopped = point.stopped();
    fields.put("cleanStop", stopped != null);
    if (stopped != null) {
      fields.put("activeSegment", stopped.baseOffset());
      fields.put("logBytes", stopped.logBytes());
      fields.put("indexBytes", stopped.indexBytes());
      fields.put("timeIndexBytes", stopped.timeIndexBytes());
      fields.put("txnIndexBytes", stopped.txnIndexBytes());
    }
    fields.put("abortedBySegment", new TreeMap<>(point.abortedCounts()));
    return fields;
  }

  private static @Nullable Map<String, Object> start(Disk disk, String path) {
    if (!OffsetFile.isIntact(disk, path)) {
      return null;
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("logStartOffset", OffsetFile.load(disk, path));
    return fields;
  }
}
