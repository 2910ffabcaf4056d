package io.fencepost.broker.producer;

import io.fencepost.broker.port.AppendFile;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The producers of a partition as bytes, so that a start replays the tail of the log only. All five
 * batches of each are kept. Read and written in pieces of {@value #PIECE_BYTES} bytes, however many
 * producers there are.
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
  private static final int PIECE_BYTES = 64 * 1024;
  private static final int MAGIC = 0x46505053;
  private static final short VERSION = 1;
  private static final int HEADER_BYTES = 18;
  private static final int ENTRY_BYTES = 31;
  private static final int BATCH_BYTES = 24;
  private static final int CHECKSUM_BYTES = 4;

  private ProducerSnapshot() {}

  /**
   * All producers, who have seen the log below this offset, in pieces that the sink must have taken
   * when it returns.
   */
  public static void write(ProducerStates states, long offset, Consumer<ByteBuffer> sink) {
    Writer writer = new Writer(sink);
    writer.room(HEADER_BYTES).putInt(MAGIC).putShort(VERSION).putLong(offset).putInt(states.size());
    states.forEach(writer::entry);
    writer.end();
  }

  /** The producers, or null if this file is damaged or was written at another offset. */
  public static @Nullable ProducerStates read(AppendFile file, long offset) {
    long end = file.sizeBytes() - CHECKSUM_BYTES;
    if (end < HEADER_BYTES) {
      return null;
    }
    Reader reader = new Reader(file, end);
    ByteBuffer header = reader.next(HEADER_BYTES);
    boolean isOurs =
        header.getInt() == MAGIC && header.getShort() == VERSION && header.getLong() == offset;
    int count = header.getInt();
    if (!isOurs || count < 0 || count > end / ENTRY_BYTES) {
      return null;
    }
    ProducerStates states = new ProducerStates();
    states.reserve(count);
    for (int left = count; left > 0; left--) {
      ProducerEntry entry = reader.entry();
      if (entry == null) {
        return null;
      }
      states.restore(entry);
    }
    return reader.isIntactAtEnd() ? states : null;
  }

  private static final class Writer {
    private final Consumer<ByteBuffer> sink;
    private final ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
    private final CRC32C checksum = new CRC32C();

    Writer(Consumer<ByteBuffer> sink) {
      this.sink = sink;
    }

    /** The buffer, with at least so many bytes free. */
    ByteBuffer room(int bytes) {
      if (piece.remaining() < bytes) {
        checksum.update(piece.array(), 0, piece.position());
        flush();
      }
      return piece;
    }

    void entry(ProducerEntry entry) {
      int batchCount = entry.batchCount();
      ByteBuffer out = room(ENTRY_BYTES + batchCount * BATCH_BYTES);
      out.putLong(entry.producerId()).putShort(entry.epoch()).putInt(entry.coordinatorEpoch());
      out.putLong(entry.lastSeenMs()).putLong(entry.openFirstOffset());
      out.put((byte) batchCount);
      for (int i = 0; i < batchCount; i++) {
        out.putLong(entry.baseOffset(i)).putInt(entry.firstSequence(i));
        out.putInt(entry.lastSequence(i)).putLong(entry.timestamp(i));
      }
    }

    void end() {
      room(CHECKSUM_BYTES);
      checksum.update(piece.array(), 0, piece.position());
      piece.putInt((int) checksum.getValue());
      flush();
    }

    private void flush() {
      sink.accept(piece.flip());
      piece.clear();
    }
  }

  private static final class Reader {
    private final AppendFile file;
    private final CRC32C checksum = new CRC32C();
    private final ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES).limit(0);

    /** Where the checksum stands. */
    private final long end;

    /** How far the piece reaches. */
    private long position;

    Reader(AppendFile file, long end) {
      this.file = file;
      this.end = end;
    }

    /** The buffer with at least so many bytes ahead, or with all that are left. */
    ByteBuffer next(int bytes) {
      if (piece.remaining() < bytes && position < end) {
        piece.compact();
        int from = piece.position();
        piece.limit((int) Math.min(piece.capacity(), from + end - position));
        int got = file.read(piece, position);
        position += got;
        checksum.update(piece.array(), from, got);
        piece.limit(from + got).position(0);
      }
      return piece;
    }

    @Nullable ProducerEntry entry() {
      ByteBuffer in = next(ENTRY_BYTES + ProducerEntry.WINDOW * BATCH_BYTES);
      if (in.remaining() < ENTRY_BYTES) {
        return null;
      }
      ProducerEntry entry = new ProducerEntry(in.getLong(), in.getShort());
      entry.coordinator(in.getInt());
      entry.seen(in.getLong());
      entry.open(in.getLong());
      int batchCount = in.get();
      if (batchCount < 0
          || batchCount > ProducerEntry.WINDOW
          || in.remaining() < batchCount * BATCH_BYTES) {
        return null;
      }
      entry.reserve(batchCount);
      for (int i = 0; i < batchCount; i++) {
        long baseOffset = in.getLong();
        int first = in.getInt();
        int distance = Sequences.distance(first, in.getInt());
        entry.set(i, baseOffset, first, distance, in.getLong());
      }
      return entry;
    }

    /** Whether all was read, and the checksum is that of what was read. */
    boolean isIntactAtEnd() {
      if (piece.hasRemaining() || position != end) {
        return false;
      }
      ByteBuffer stored = ByteBuffer.allocate(CHECKSUM_BYTES);
      return file.read(stored, end) == CHECKSUM_BYTES
          && stored.getInt(0) == (int) checksum.getValue();
    }
  }
}
