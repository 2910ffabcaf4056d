package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Scanned;
import java.util.TreeMap;
import java.util.TreeSet;

/** What readers of one isolation level found in logs when nobody wrote any more. */
final class Remains {
  private final TreeMap<TopicPartition, Scanned> scans = new TreeMap<>();
  private final TreeMap<TopicPartition, TreeMap<Long, Read>> values = new TreeMap<>();

  private Remains() {}

  static Remains of(History history, Isolation isolation) {
    Remains remains = new Remains();
    TreeSet<String> readers = new TreeSet<>();
    for (Scanned scanned : history.all(Scanned.class)) {
      if (scanned.isolation() == isolation) {
        remains.scans.put(scanned.partition(), scanned);
        remains.values.put(scanned.partition(), new TreeMap<>());
        readers.add(scanned.reader());
      }
    }
    for (Read read : history.all(Read.class)) {
      TreeMap<Long, Read> found = remains.values.get(read.partition());
      if (found != null && readers.contains(read.reader())) {
        found.put(read.offset(), read);
      }
    }
    return remains;
  }

  Iterable<Scanned> scans() {
    return scans.values();
  }

  /** By offset; empty if that partition was not scanned. */
  TreeMap<Long, Read> reads(TopicPartition partition) {
    return values.getOrDefault(partition, new TreeMap<>());
  }

  /** Whether the partition was scanned and nothing was found at this offset. */
  boolean lacks(TopicPartition partition, long offset) {
    Scanned scan = scans.get(partition);
    return scan != null && offset < scan.toOffset() && !reads(partition).containsKey(offset);
  }
}
