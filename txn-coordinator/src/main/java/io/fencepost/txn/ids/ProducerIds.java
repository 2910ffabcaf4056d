package io.fencepost.txn.ids;

import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.txn.txn.IdSource;
import java.nio.charset.StandardCharsets;

/**
 * Hands out producer ids from blocks. The end of a block is on disk before its first id is used, so
 * a crash wastes ids and never repeats one. Thread-safe; touches the disk once per block.
 */
public final class ProducerIds implements IdSource {
  /** As many as Kafka takes at a time. */
  static final int BLOCK = 1000;

  private static final String FILE = "producer-ids";
  private static final String NUMBER = "\\d{1,18}";

  private final Disk disk;
  private long next;
  private long blockEnd;

  public ProducerIds(Disk disk) {
    this.disk = disk;
  }

  @Override
  public synchronized long nextId() {
    if (next == blockEnd) {
      long start = Math.max(blockEnd, stored());
      disk.replace(FILE, Long.toString(start + BLOCK).getBytes(StandardCharsets.UTF_8));
      next = start;
      blockEnd = start + BLOCK;
    }
    return next++;
  }

  /**
   * Says what would make ids be handed out twice, or not at all.
   *
   * @param maxUsed the greatest id that was seen in use; -1 if none was
   */
  public static void check(Disk disk, long maxUsed, Findings findings) {
    if (!disk.exists(FILE)) {
      if (maxUsed >= 0) {
        findings.damage(
            FILE,
            Finding.WHOLE,
            "the file is missing: producer ids up to %d are in use and would be handed out again"
                .formatted(maxUsed));
      }
      return;
    }
    String text = text(disk);
    if (!text.matches(NUMBER)) {
      findings.damage(
          FILE, 0, "it holds '" + text + "' where the first unused producer id should be");
    } else if (Long.parseLong(text) <= maxUsed) {
      findings.damage(
          FILE,
          0,
          "producer id %s and more would be handed out, ids up to %d are in use"
              .formatted(text, maxUsed));
    }
  }

  private static String text(Disk disk) {
    return new String(disk.read(FILE), StandardCharsets.UTF_8).trim();
  }

  private long stored() {
    if (!disk.exists(FILE)) {
      return 0;
    }
    String text = text(disk);
    if (!text.matches(NUMBER)) {
      throw new DiskException(
          FILE
              + " holds '"
              + text
              + "' where the first unused producer id should be; put a number in it that is larger"
              + " than any id in use");
    }
    return Long.parseLong(text);
  }
}
