package io.fencepost.testkit.sim;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.wire.message.FetchResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** The whole batches of one partition in an answer, for a reader at a position. */
public final class FetchedBatches {
  private FetchedBatches() {}

  /** Hears of records that have a value. */
  interface Records {
    void at(long offset, String value);
  }

  /** Shows each batch that is not below the position; returns the one behind the last of them. */
  public static long walk(
      FetchResponse.PartitionData data, long position, Consumer<BatchView> each) {
    ByteBuffer bytes = data.records == null ? ByteBuffer.allocate(0) : data.records.toBuffer();
    BatchView batch = new BatchView();
    long next = position;
    int at = bytes.position();
    while (bytes.limit() - at >= BatchView.HEADER_BYTES) {
      batch.wrap(bytes, at);
      if (bytes.limit() - at < batch.sizeBytes()) {
        break;
      }
      at += batch.sizeBytes();
      if (batch.lastOffset() >= next) {
        each.accept(batch);
        next = batch.nextOffset();
      }
    }
    return next;
  }

  /** Shows the records of a batch that are not below the position. */
  static void records(BatchView batch, long position, Records each) {
    RecordIterator records = RecordIterator.of(batch);
    while (records.next()) {
      ByteBuffer value = records.record().value();
      if (records.record().offset() >= position && value != null) {
        each.at(records.record().offset(), StandardCharsets.UTF_8.decode(value).toString());
      }
    }
  }
}
