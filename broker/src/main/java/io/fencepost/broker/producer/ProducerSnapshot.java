package io.fencepost.broker.producer;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The producers of a partition as bytes, so that a start replays the tail of the log only. All five
 * batches of each are kept.
 *
 * <pre>
 * magic "FPPS" | version i16 | offset i64 | count i32 | count entries | CRC32C i32 of all before
 * entry: producer id i64, epoch i16, coordinator epoch i32, last seen i64, open first offset i64,
 *        batch count i8, batches: base offset i64, first sequence i32, last sequence i32,
 *        timestamp i64
 * </pre>
 *
 * <p>The state is that of a reader which saw everything below the offset and nothing at or above.
 */
public final class ProducerSnapshot {
  private static final int MAGIC = 0x46505053;
  private static final short VERSION = 1;
  private static final int HEADER_BYTES = 18;
  private static final int ENTRY_BYTES = 31;
  private static final int BATCH_BYTES = 24;
  private static final int CHECKSUM_BYTES = 4;

  private ProducerSnapshot() {}

  /** The bytes of all producers, who have seen the log below this offset. */
  public static byte[] write(ProducerStates states, long offset) {
    int[] sizeBytes = {HEADER_BYTES + CHECKSUM_BYTES};
    states.forEach(entry -> sizeBytes[0] += ENTRY_BYTES + entry.batchCount() * BATCH_BYTES);
    ByteBuffer out = ByteBuffer.allocate(sizeBytes[0]);
    out.putInt(MAGIC).putShort(VERSION).putLong(offset).putInt(states.size());
    states.sorted().forEach(entry -> writeEntry(entry, out));
    out.putInt(checksum(out.array(), out.position()));
    return out.array();
  }

  private static void writeEntry(ProducerEntry entry, ByteBuffer out) {
    out.putLong(entry.producerId()).putShort(entry.epoch()).putInt(entry.coordinatorEpoch());
    out.putLong(entry.lastSeenMs()).putLong(entry.openFirstOffset());
    out.put((byte) entry.batchCount());
    for (int i = 0; i < entry.batchCount(); i++) {
      out.putLong(entry.baseOffset(i)).putInt(entry.firstSequence(i));
      out.putInt(entry.lastSequence(i)).putLong(entry.timestamp(i));
    }
  }

  /** The producers, or null if these bytes are damaged or were taken at another offset. */
  public static @Nullable ProducerStates read(byte[] bytes, long offset) {
    int end = bytes.length - CHECKSUM_BYTES;
    ByteBuffer in = ByteBuffer.wrap(bytes);
    boolean isOurs =
        end >= HEADER_BYTES
            && in.getInt(end) == checksum(bytes, end)
            && in.getInt() == MAGIC
            && in.getShort() == VERSION
            && in.getLong() == offset;
    if (!isOurs) {
      return null;
    }
    ProducerStates states = new ProducerStates();
    for (int left = in.getInt(); left > 0; left--) {
      ProducerEntry entry = end - in.position() < ENTRY_BYTES ? null : readEntry(in, end);
      if (entry == null) {
        return null;
      }
      states.restore(entry);
    }
    return states;
  }

  private static @Nullable ProducerEntry readEntry(ByteBuffer in, int end) {
    ProducerEntry entry = new ProducerEntry(in.getLong(), in.getShort());
    entry.coordinator(in.getInt());
    entry.seen(in.getLong());
    entry.open(in.getLong());
    int batchCount = in.get();
    if (batchCount < 0
        || batchCount > ProducerEntry.WINDOW
        || end - in.position() < batchCount * BATCH_BYTES) {
      return null;
    }
    for (int i = 0; i < batchCount; i++) {
      long baseOffset = in.getLong();
      int first = in.getInt();
      int last = in.getInt();
      entry.append(baseOffset, first, Sequences.distance(first, last), in.getLong());
    }
    return entry;
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
