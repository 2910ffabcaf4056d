package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The one record of a control batch that ends a transaction in a partition.
 *
 * @param coordinatorEpoch the epoch of the transaction coordinator that decided
 */
public record ControlMarker(boolean commit, int coordinatorEpoch) {
  private static final short ABORT_TYPE = 0;
  private static final short COMMIT_TYPE = 1;

  /** The key's bytes: version 0 and type. */
  public byte[] key() {
    return ByteBuffer.allocate(4)
        .putShort((short) 0)
        .putShort(commit ? COMMIT_TYPE : ABORT_TYPE)
        .array();
  }

  /** The value's bytes: version 0 and coordinator epoch. */
  public byte[] value() {
    return ByteBuffer.allocate(6).putShort((short) 0).putInt(coordinatorEpoch).array();
  }

  /** The batch that carries this marker; offset and leader epoch are assigned by the log. */
  public ByteBuffer toBatch(long producerId, short producerEpoch, long timestamp) {
    return BatchWriter.at(0)
        .producer(producerId, producerEpoch, BatchView.NO_SEQUENCE)
        .transactional()
        .control()
        .add(timestamp, key(), value())
        .build();
  }

  /**
   * The marker in a control batch; null if it is a control batch of another kind (leader change,
   * snapshot header). Throws {@link MalformedBatchException}.
   */
  public static @Nullable ControlMarker of(BatchView batch) {
    RecordIterator records = RecordIterator.of(batch);
    if (!batch.isControl() || !records.next()) {
      return null;
    }
    ByteBuffer key = records.record().key();
    ByteBuffer value = records.record().value();
    if (key == null || key.remaining() < 4 || key.getShort() < 0) {
      throw new MalformedBatchException("control batch " + batch.baseOffset() + " has no type");
    }
    short type = key.getShort();
    if (type != ABORT_TYPE && type != COMMIT_TYPE) {
      return null;
    }
    if (value == null || value.remaining() < 6 || value.getShort() < 0) {
      throw new MalformedBatchException(
          "marker " + batch.baseOffset() + " has no coordinator epoch");
    }
    return new ControlMarker(type == COMMIT_TYPE, value.getInt());
  }
}
