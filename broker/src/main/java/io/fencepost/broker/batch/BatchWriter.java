package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds one uncompressed batch of format 2: markers, coordinators' records, tests, tools. The
 * bytes equal those of Kafka's own builder given the same records. Not thread-safe.
 */
public final class BatchWriter {
  private static final int FIRST_BYTES = 512;

  private final long baseOffset;
  private int leaderEpoch = -1;
  private long producerId = BatchView.NO_PRODUCER_ID;
  private short producerEpoch = BatchView.NO_PRODUCER_EPOCH;
  private int baseSequence = BatchView.NO_SEQUENCE;
  private int attributes;
  private long appendTimeMs;
  private long baseTimestamp;
  private long maxTimestamp = BatchView.NO_TIMESTAMP;
  private int count;
  private ByteBuffer out = ByteBuffer.allocate(FIRST_BYTES).position(BatchView.HEADER_BYTES);

  private BatchWriter(long baseOffset) {
    this.baseOffset = baseOffset;
  }

  public static BatchWriter at(long baseOffset) {
    return new BatchWriter(baseOffset);
  }

  public BatchWriter leaderEpoch(int leaderEpoch) {
    this.leaderEpoch = leaderEpoch;
    return this;
  }

  public BatchWriter producer(long producerId, short producerEpoch, int baseSequence) {
    this.producerId = producerId;
    this.producerEpoch = producerEpoch;
    this.baseSequence = baseSequence;
    return this;
  }

  public BatchWriter transactional() {
    attributes |= BatchView.TRANSACTIONAL_BIT;
    return this;
  }

  public BatchWriter control() {
    attributes |= BatchView.CONTROL_BIT;
    return this;
  }

  /** All records get this time and the batch is marked as stamped by the log. */
  public BatchWriter appendTime(long appendTimeMs) {
    attributes |= BatchView.APPEND_TIME_BIT;
    this.appendTimeMs = appendTimeMs;
    return this;
  }

  public BatchWriter add(long timestamp, byte @Nullable [] key, byte @Nullable [] value) {
    return add(timestamp, key, value, List.of());
  }

  /** Appends a record; offsets count up from the base offset. */
  public BatchWriter add(
      long timestamp, byte @Nullable [] key, byte @Nullable [] value, List<RecordHeader> headers) {
    if (count == 0) {
      baseTimestamp = timestamp;
    }
    maxTimestamp = Math.max(maxTimestamp, timestamp);
    int size = 1 + Varint.size(timestamp - baseTimestamp) + Varint.size(count);
    size += fieldSize(key) + fieldSize(value) + Varint.size(headers.size());
    for (RecordHeader header : headers) {
      size += fieldSize(header.key().getBytes(StandardCharsets.UTF_8)) + fieldSize(header.value());
    }
    reserve(Varint.size(size) + size);
    Varint.write(out, size);
    out.put((byte) 0);
    Varint.write(out, timestamp - baseTimestamp);
    Varint.write(out, count);
    putField(key);
    putField(value);
    Varint.write(out, headers.size());
    for (RecordHeader header : headers) {
      putField(header.key().getBytes(StandardCharsets.UTF_8));
      putField(header.value());
    }
    count++;
    return this;
  }

  public int recordCount() {
    return count;
  }

  /** What {@link #build} would give now, in bytes. */
  public int sizeBytes() {
    return out.position();
  }

  /** Finishes the batch; the writer must not be used afterwards. At least one record is needed. */
  public ByteBuffer build() {
    if (count == 0) {
      throw new IllegalStateException("a batch needs at least one record");
    }
    int size = out.position();
    boolean stamped = (attributes & BatchView.APPEND_TIME_BIT) != 0;
    out.putLong(0, baseOffset);
    out.putInt(BatchView.LENGTH_AT, size - BatchView.PREFIX_BYTES);
    out.putInt(BatchView.LEADER_EPOCH_AT, leaderEpoch);
    out.put(BatchView.MAGIC_AT, BatchView.MAGIC);
    out.putShort(BatchView.ATTRIBUTES_AT, (short) attributes);
    out.putInt(BatchView.LAST_OFFSET_DELTA_AT, count - 1);
    out.putLong(BatchView.BASE_TIMESTAMP_AT, baseTimestamp);
    out.putLong(BatchView.MAX_TIMESTAMP_AT, stamped ? appendTimeMs : maxTimestamp);
    out.putLong(BatchView.PRODUCER_ID_AT, producerId);
    out.putShort(BatchView.PRODUCER_EPOCH_AT, producerEpoch);
    out.putInt(BatchView.BASE_SEQUENCE_AT, baseSequence);
    out.putInt(BatchView.RECORD_COUNT_AT, count);
    out.flip();
    out.putInt(BatchView.CRC_AT, (int) new BatchView().wrap(out, 0).computeCrc());
    return out;
  }

  private static int fieldSize(byte @Nullable [] field) {
    return field == null ? Varint.size(-1) : Varint.size(field.length) + field.length;
  }

  private void putField(byte @Nullable [] field) {
    if (field == null) {
      Varint.write(out, -1);
    } else {
      Varint.write(out, field.length);
      out.put(field);
    }
  }

  private void reserve(int bytes) {
    if (out.remaining() < bytes) {
      long wanted = Math.max(out.capacity() * 2L, (long) out.position() + bytes);
      ByteBuffer grown = ByteBuffer.allocate((int) Math.min(wanted, Integer.MAX_VALUE - 8));
      out.flip();
      grown.put(out);
      out = grown;
    }
  }
}
