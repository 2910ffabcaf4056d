package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A flyweight over the header of one record batch of format 2. Moved from batch to batch by {@link
 * #wrap}; it owns nothing and copies nothing. Nothing is validated here: see {@link BatchCheck}.
 * The buffer must be big-endian and hold at least {@link #HEADER_BYTES} from the position on. Not
 * thread-safe.
 *
 * <p>The checksum covers the bytes from the attributes on, so base offset and leader epoch can be
 * set in place without computing it again.
 */
public final class BatchView {
  /** Base offset and length: what must be known to hop to the next batch. */
  public static final int PREFIX_BYTES = 12;

  /** All in front of the first record. */
  public static final int HEADER_BYTES = 61;

  public static final byte MAGIC = 2;
  public static final long NO_PRODUCER_ID = -1;
  public static final short NO_PRODUCER_EPOCH = -1;
  public static final int NO_SEQUENCE = -1;
  public static final long NO_TIMESTAMP = -1;

  static final int LENGTH_AT = 8;
  static final int LEADER_EPOCH_AT = 12;
  static final int MAGIC_AT = 16;
  static final int CRC_AT = 17;
  static final int ATTRIBUTES_AT = 21;
  static final int LAST_OFFSET_DELTA_AT = 23;
  static final int BASE_TIMESTAMP_AT = 27;
  static final int MAX_TIMESTAMP_AT = 35;
  static final int PRODUCER_ID_AT = 43;
  static final int PRODUCER_EPOCH_AT = 51;
  static final int BASE_SEQUENCE_AT = 53;
  static final int RECORD_COUNT_AT = 57;

  static final int COMPRESSION_MASK = 0x07;
  static final int COMPRESSION_MAX = 4;
  static final int APPEND_TIME_BIT = 0x08;
  static final int TRANSACTIONAL_BIT = 0x10;
  static final int CONTROL_BIT = 0x20;
  static final int DELETE_HORIZON_BIT = 0x40;

  private ByteBuffer buffer = ByteBuffer.allocate(HEADER_BYTES);
  private int position;

  /** Looks at the batch that begins at this index of the buffer; returns itself. */
  public BatchView wrap(ByteBuffer buffer, int position) {
    this.buffer = buffer;
    this.position = position;
    return this;
  }

  public ByteBuffer buffer() {
    return buffer;
  }

  /** The index in the buffer at which the batch begins. */
  public int position() {
    return position;
  }

  public long baseOffset() {
    return buffer.getLong(position);
  }

  /** The whole batch, its first 12 bytes included. Any value in a malformed batch. */
  public int sizeBytes() {
    return buffer.getInt(position + LENGTH_AT) + PREFIX_BYTES;
  }

  public int leaderEpoch() {
    return buffer.getInt(position + LEADER_EPOCH_AT);
  }

  public byte magic() {
    return buffer.get(position + MAGIC_AT);
  }

  /** The checksum that the batch claims, unsigned. */
  public long crc() {
    return buffer.getInt(position + CRC_AT) & 0xFFFFFFFFL;
  }

  public short attributes() {
    return buffer.getShort(position + ATTRIBUTES_AT);
  }

  public int lastOffsetDelta() {
    return buffer.getInt(position + LAST_OFFSET_DELTA_AT);
  }

  /** Inclusive. */
  public long lastOffset() {
    return baseOffset() + lastOffsetDelta();
  }

  /** The offset after this batch. */
  public long nextOffset() {
    return lastOffset() + 1;
  }

  public long baseTimestamp() {
    return buffer.getLong(position + BASE_TIMESTAMP_AT);
  }

  public long maxTimestamp() {
    return buffer.getLong(position + MAX_TIMESTAMP_AT);
  }

  public long producerId() {
    return buffer.getLong(position + PRODUCER_ID_AT);
  }

  public boolean hasProducerId() {
    return producerId() > NO_PRODUCER_ID;
  }

  public short producerEpoch() {
    return buffer.getShort(position + PRODUCER_EPOCH_AT);
  }

  public int baseSequence() {
    return buffer.getInt(position + BASE_SEQUENCE_AT);
  }

  /** Inclusive; after {@link Integer#MAX_VALUE} comes 0. */
  public int lastSequence() {
    int baseSequence = baseSequence();
    return baseSequence == NO_SEQUENCE ? NO_SEQUENCE : addSequence(baseSequence, lastOffsetDelta());
  }

  /** Moves a sequence number forward; after {@link Integer#MAX_VALUE} comes 0. */
  public static int addSequence(int sequence, int increment) {
    return (int) (((long) sequence + increment) & Integer.MAX_VALUE);
  }

  public int recordCount() {
    return buffer.getInt(position + RECORD_COUNT_AT);
  }

  public boolean isTransactional() {
    return (attributes() & TRANSACTIONAL_BIT) != 0;
  }

  public boolean isControl() {
    return (attributes() & CONTROL_BIT) != 0;
  }

  /** With a delete horizon the base timestamp is that horizon (set by compaction). */
  public boolean hasDeleteHorizon() {
    return (attributes() & DELETE_HORIZON_BIT) != 0;
  }

  /** Throws {@link MalformedBatchException} for a codec that does not exist. */
  public Compression compression() {
    return Compression.of(attributes() & COMPRESSION_MASK);
  }

  public TimestampType timestampType() {
    return (attributes() & APPEND_TIME_BIT) != 0
        ? TimestampType.LOG_APPEND_TIME
        : TimestampType.CREATE_TIME;
  }

  /** The checksum that the bytes have, unsigned; the whole batch must be in the buffer. */
  public long computeCrc() {
    CRC32C crc = new CRC32C();
    ByteBuffer covered = buffer.duplicate();
    covered.limit(position + sizeBytes()).position(position + ATTRIBUTES_AT);
    crc.update(covered);
    return crc.getValue();
  }

  /** Sets what the log decides, in place, outside the checksummed bytes. */
  public void assign(long baseOffset, int leaderEpoch) {
    buffer.putLong(position, baseOffset);
    buffer.putInt(position + LEADER_EPOCH_AT, leaderEpoch);
  }

  /** Makes all records carry this append time; computes the checksum again. */
  public void assignAppendTime(long appendTimeMs) {
    buffer.putShort(position + ATTRIBUTES_AT, (short) (attributes() | APPEND_TIME_BIT));
    buffer.putLong(position + MAX_TIMESTAMP_AT, appendTimeMs);
    buffer.putInt(position + CRC_AT, (int) computeCrc());
  }

  /** Makes the header tell the latest of its records' times; computes the checksum again. */
  public void assignMaxTimestamp(long timestamp) {
    buffer.putLong(position + MAX_TIMESTAMP_AT, timestamp);
    buffer.putInt(position + CRC_AT, (int) computeCrc());
  }

  /** The bytes behind the header, still compressed; shares the buffer. */
  public ByteBuffer records() {
    ByteBuffer records = buffer.duplicate();
    records.limit(position + sizeBytes()).position(position + HEADER_BYTES);
    return records.slice();
  }

  @Override
  public String toString() {
    return "batch "
        + baseOffset()
        + ".."
        + lastOffset()
        + " ("
        + sizeBytes()
        + " bytes, "
        + recordCount()
        + " records, producer "
        + producerId()
        + " epoch "
        + producerEpoch()
        + " sequence "
        + baseSequence()
        + ")";
  }
}
