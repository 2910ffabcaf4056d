package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A log on a simulated disk, and the batches to fill it. */
final class LogFixture {
  static final String DIRECTORY = "orders-0";
  static final LogConfig SMALL =
      LogConfig.defaults().withSegmentBytes(1000).withIndex(150, 1024 * 1024);

  final SimEntropy entropy = new SimEntropy(1);
  final SimDisk disk = new SimDisk(entropy.named("disk"));
  final SimClock clock = new SimClock();
  LogConfig config = SMALL;

  PartitionLog open() {
    return open(disk);
  }

  PartitionLog open(Disk on) {
    return PartitionLog.open(on, DIRECTORY, config, clock);
  }

  String path(long base, String suffix) {
    return DIRECTORY + "/" + SegmentNames.name(base, suffix);
  }

  /** Records with values v(offset) and the given timestamp. */
  static ByteBuffer batch(long baseOffset, int count, int epoch, long timestamp) {
    BatchWriter writer = BatchWriter.at(baseOffset).leaderEpoch(epoch);
    for (int i = 0; i < count; i++) {
      writer.add(timestamp + i, null, ("v" + (baseOffset + i)).getBytes(StandardCharsets.UTF_8));
    }
    return writer.build();
  }

  static ByteBuffer batch(long baseOffset, int count) {
    return batch(baseOffset, count, 0, 1000 + baseOffset);
  }

  /** Appends batches of two records until the log ends here. */
  static void fill(PartitionLog log, long endOffset) {
    while (log.endOffset() < endOffset) {
      log.append(batch(log.endOffset(), 2));
    }
  }

  /** Every batch from the offset on, as bytes, by repeated reads. */
  static List<byte[]> readAll(PartitionLog log, long offset, int maxBytes) {
    List<byte[]> batches = new ArrayList<>();
    long at = offset;
    while (at < log.endOffset()) {
      ReadResult result = log.read(at, maxBytes, true, Long.MAX_VALUE);
      if (result.bytes().sizeBytes() == 0) {
        throw new AssertionError("nothing at " + at + " of a log that ends at " + log.endOffset());
      }
      split(result.bytes(), batches);
      at = result.nextOffset();
    }
    return batches;
  }

  static void split(Bytes bytes, List<byte[]> into) {
    ByteBuffer buffer = bytes.toBuffer();
    int at = buffer.position();
    BatchView view = new BatchView();
    while (at < buffer.limit()) {
      view.wrap(buffer, at);
      byte[] batch = new byte[view.sizeBytes()];
      buffer.duplicate().position(at).get(batch);
      into.add(batch);
      at += batch.length;
    }
  }

  static byte[] content(Snapshot snapshot) {
    try (AppendFile file = snapshot.open()) {
      ByteBuffer bytes = ByteBuffer.allocate((int) file.sizeBytes());
      file.read(bytes, 0);
      return bytes.array();
    }
  }

  static long lastOffset(byte[] batch) {
    return new BatchView().wrap(ByteBuffer.wrap(batch), 0).lastOffset();
  }

  static long baseOffset(byte[] batch) {
    return new BatchView().wrap(ByteBuffer.wrap(batch), 0).baseOffset();
  }
}
