package io.fencepost.broker.batch;

import java.nio.ByteBuffer;

/**
 * Walks the records of one intact batch, decompressing it if need be. Throws {@link
 * MalformedBatchException} when the bytes are not what the header says, and {@link
 * CodecMissingException} when the codec's library is not on the class path. Not thread-safe.
 */
public final class RecordIterator {
  private final RecordView view = new RecordView();
  private final RecordView.BatchFacts batch;
  private final ByteBuffer records;
  private final int count;
  private int done;
  private int recordAt;

  private RecordIterator(BatchView batch) {
    this.batch = RecordView.BatchFacts.of(batch);
    this.count = batch.recordCount();
    this.records = Codec.decompress(batch.compression(), batch.records());
  }

  /** The whole batch must be in the view's buffer; the view may move on afterwards. */
  public static RecordIterator of(BatchView batch) {
    if (batch.buffer().limit() - batch.position() < batch.sizeBytes()
        || batch.sizeBytes() < BatchView.HEADER_BYTES) {
      throw new MalformedBatchException("batch " + batch.baseOffset() + " is not whole");
    }
    return new RecordIterator(batch);
  }

  /** Moves to the next record; false when there is none. */
  public boolean next() {
    if (done == count) {
      if (records.hasRemaining()) {
        throw new MalformedBatchException(
            "batch " + batch.baseOffset() + " has bytes behind its last record");
      }
      return false;
    }
    recordAt = records.position();
    view.read(records, batch);
    done++;
    return true;
  }

  /** Stands in front of the first record again. */
  public void rewind() {
    records.position(0);
    done = 0;
  }

  /** The record at which it stands as it is encoded, from its size on. */
  ByteBuffer encoded() {
    ByteBuffer bytes = records.duplicate();
    bytes.limit(records.position()).position(recordAt);
    return bytes.slice();
  }

  /** The record that the last {@link #next} moved to; the same object each time. */
  public RecordView record() {
    return view;
  }
}
