package io.fencepost.testkit.campaign.main;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.disk.ReadOnlyDisk;
import io.fencepost.broker.log.LogView;
import io.fencepost.broker.log.SegmentWalk;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.campaign.client.Recorder;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.LogEvents;
import io.fencepost.testkit.history.Posting;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** The logs of one broker that does not run. */
final class StoppedLogs {
  private final Disk disk;
  private final Recorder recorder;

  StoppedLogs(Path broker, Recorder recorder) {
    this.disk = new ReadOnlyDisk(broker);
    this.recorder = recorder;
  }

  /** Shows all batches of those partitions, each partition in order. */
  void walk(Predicate<TopicPartition> partitions, BiConsumer<TopicPartition, BatchView> each) {
    for (String name : disk.list("")) {
      int dash = name.lastIndexOf('-');
      if (dash > 0 && name.substring(dash + 1).matches("[0-9]{1,5}")) {
        TopicPartition partition = LogEvents.parse(name);
        if (partitions.test(partition)) {
          walk(partition, each);
        }
      }
    }
  }

  private void walk(TopicPartition partition, BiConsumer<TopicPartition, BatchView> each) {
    LogView log = new LogView(disk, partition.toString());
    for (long base : log.segments()) {
      SegmentWalk walk = log.walk(base);
      try {
        while (walk.next()) {
          if (walk.isDamage()) {
            recorder.add(new Event.FileFinding(walk.path() + ": " + walk.damage()));
          } else {
            each.accept(partition, walk.whole());
          }
        }
      } finally {
        walk.close();
      }
    }
  }

  /** The transactions whose records a batch of postings holds. */
  static SortedSet<String> transactions(BatchView batch) {
    TreeSet<String> names = new TreeSet<>();
    RecordIterator records = RecordIterator.of(batch);
    while (records.next()) {
      ByteBuffer value = records.record().value();
      if (value != null) {
        String name = Posting.parse(StandardCharsets.UTF_8.decode(value).toString()).name();
        names.add(name.substring(0, name.lastIndexOf(':')));
      }
    }
    return names;
  }
}
