package io.fencepost.txn.ids;

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

  private long stored() {
    if (!disk.exists(FILE)) {
      return 0;
    }
    String text = new String(disk.read(FILE), StandardCharsets.UTF_8).trim();
    if (!text.matches("\\d{1,18}")) {
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
