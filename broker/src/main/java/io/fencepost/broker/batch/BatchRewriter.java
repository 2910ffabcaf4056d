package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Makes the batches that compaction leaves behind. Base offset, last offset, sequences, producer,
 * leader epoch and the times of records stay as they were, so that readers and the producers' state
 * cannot tell but by what is missing.
 */
public final class BatchRewriter {
  /** The batch gets no delete horizon, or keeps the one that it has. */
  public static final long NO_HORIZON = -1;

  private BatchRewriter() {}

  /**
   * The batch with these records only, under the same codec.
   *
   * @param records of the batch; is rewound
   * @param kept by position among the records of the batch
   * @param horizonMs wall time after which tombstones and markers in it may go (KIP-534); takes the
   *     place of the base timestamp
   */
  public static ByteBuffer rewrite(
      BatchView batch, RecordIterator records, BitSet kept, long horizonMs) {
    boolean isNewHorizon = horizonMs != NO_HORIZON;
    long baseTimestamp = isNewHorizon ? horizonMs : batch.baseTimestamp();
    long shift = batch.baseTimestamp() - baseTimestamp;
    ByteBuffer plain = ByteBuffer.allocate(plainBytes(records, kept, shift));
    long greatest = BatchView.NO_TIMESTAMP;
    records.rewind();
    for (int i = 0; records.next(); i++) {
      if (kept.get(i)) {
        greatest = Math.max(greatest, records.record().timestamp());
        put(plain, records.encoded(), shift);
      }
    }
    ByteBuffer packed = Codec.compress(batch.compression(), plain.flip());
    ByteBuffer out = header(batch, packed.remaining());
    int attributes = batch.attributes() | (isNewHorizon ? BatchView.DELETE_HORIZON_BIT : 0);
    out.putShort(BatchView.ATTRIBUTES_AT, (short) attributes);
    out.putLong(BatchView.BASE_TIMESTAMP_AT, baseTimestamp);
    if (batch.timestampType() == TimestampType.CREATE_TIME) {
      out.putLong(BatchView.MAX_TIMESTAMP_AT, greatest);
    }
    out.putInt(BatchView.RECORD_COUNT_AT, kept.cardinality());
    out.position(BatchView.HEADER_BYTES);
    out.put(packed).flip();
    return sealed(out);
  }

  /** The batch without records: it still says what its producer wrote last. */
  public static ByteBuffer empty(BatchView batch) {
    int kept = BatchView.APPEND_TIME_BIT | BatchView.TRANSACTIONAL_BIT | BatchView.CONTROL_BIT;
    return emptied(batch, batch.attributes() & kept);
  }

  /** Nobody's batch without records: it still says where the log goes on. */
  public static ByteBuffer filler(BatchView batch) {
    ByteBuffer out = emptied(batch, batch.attributes() & BatchView.APPEND_TIME_BIT);
    out.putLong(BatchView.PRODUCER_ID_AT, BatchView.NO_PRODUCER_ID);
    out.putShort(BatchView.PRODUCER_EPOCH_AT, BatchView.NO_PRODUCER_EPOCH);
    out.putInt(BatchView.BASE_SEQUENCE_AT, BatchView.NO_SEQUENCE);
    return sealed(out);
  }

  private static ByteBuffer emptied(BatchView batch, int attributes) {
    ByteBuffer out = header(batch, 0);
    out.putShort(BatchView.ATTRIBUTES_AT, (short) attributes);
    out.putLong(BatchView.BASE_TIMESTAMP_AT, BatchView.NO_TIMESTAMP);
    out.putInt(BatchView.RECORD_COUNT_AT, 0);
    return sealed(out);
  }

  private static ByteBuffer header(BatchView batch, int recordBytes) {
    ByteBuffer out = ByteBuffer.allocate(BatchView.HEADER_BYTES + recordBytes);
    ByteBuffer header = batch.buffer().duplicate();
    header.limit(batch.position() + BatchView.HEADER_BYTES).position(batch.position());
    out.put(header).clear();
    out.putInt(BatchView.LENGTH_AT, out.capacity() - BatchView.PREFIX_BYTES);
    return out;
  }

  private static ByteBuffer sealed(ByteBuffer out) {
    out.putInt(BatchView.CRC_AT, (int) new BatchView().wrap(out, 0).computeCrc());
    return out;
  }

  private static int plainBytes(RecordIterator records, BitSet kept, long shift) {
    int bytes = 0;
    records.rewind();
    for (int i = 0; records.next(); i++) {
      if (kept.get(i)) {
        ByteBuffer encoded = records.encoded();
        int size = size(encoded, shift);
        bytes += Varint.size(size) + size;
      }
    }
    return bytes;
  }

  /** How long the record is, without its size, once its time is counted from another base. */
  private static int size(ByteBuffer encoded, long shift) {
    ByteBuffer in = encoded.duplicate();
    Varint.readInt(in);
    in.get();
    long delta = Varint.readLong(in);
    return 1 + Varint.size(delta + shift) + in.remaining();
  }

  private static void put(ByteBuffer out, ByteBuffer encoded, long shift) {
    Varint.write(out, size(encoded, shift));
    Varint.readInt(encoded);
    out.put(encoded.get());
    Varint.write(out, Varint.readLong(encoded) + shift);
    out.put(encoded);
  }
}
