package io.fencepost.broker.replica;

import io.fencepost.broker.batch.BatchCheck;
import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.batch.RecordLayout;
import io.fencepost.broker.batch.TimestampType;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Whether the bytes that a producer sent for one partition may be written at all: exactly one
 * intact batch of format 2 which claims nothing that only the log decides, with records that can be
 * read. Compressed ones are looked at in compacted topics only. Needs no lock.
 */
final class RecordsCheck {
  private RecordsCheck() {}

  /** Why bytes are refused. */
  record Refusal(WireError error, String sentence) {}

  /** Null if the records may be written, as far as can be said without the partition's state. */
  static @Nullable Refusal check(@Nullable ByteBuffer records, PartitionConfig config, long nowMs) {
    if (records == null || !records.hasRemaining()) {
      return invalid("a produce request must bring one record batch for each partition");
    }
    int start = records.position();
    BatchCheck.Verdict header = BatchCheck.checkHeader(records, start);
    if (header != BatchCheck.Verdict.GOOD) {
      return ofVerdict(header);
    }
    BatchView batch = new BatchView().wrap(records, start);
    if (batch.sizeBytes() != records.remaining()) {
      return invalid("a produce request may bring only one record batch for each partition");
    }
    if (batch.sizeBytes() > config.maxMessageBytes()) {
      return new Refusal(
          WireError.MESSAGE_TOO_LARGE,
          "the batch has "
              + batch.sizeBytes()
              + " bytes, but max.message.bytes of the topic is "
              + config.maxMessageBytes());
    }
    if (batch.crc() != batch.computeCrc()) {
      return ofVerdict(BatchCheck.Verdict.BAD_CRC);
    }
    Refusal claims = checkClaims(batch);
    return claims == null ? checkContent(batch, config, nowMs) : claims;
  }

  private static Refusal ofVerdict(BatchCheck.Verdict verdict) {
    WireError error =
        switch (verdict) {
          case BAD_LENGTH, BAD_MAGIC, BAD_CRC -> WireError.CORRUPT_MESSAGE;
          case SHORT, OLD_FORMAT, BAD_COUNT, BAD_ATTRIBUTES -> WireError.INVALID_RECORD;
          case GOOD -> WireError.NONE;
        };
    return new Refusal(error, verdict.sentence());
  }

  private static @Nullable Refusal checkClaims(BatchView batch) {
    if (batch.baseOffset() != 0) {
      return invalid("the base offset must be 0, but is " + batch.baseOffset());
    }
    if (batch.recordCount() != batch.lastOffsetDelta() + 1) {
      return invalid(
          "the last offset delta is "
              + batch.lastOffsetDelta()
              + " but the batch has "
              + batch.recordCount()
              + " records");
    }
    if (batch.isControl()) {
      return invalid("only coordinators write control batches");
    }
    if (batch.timestampType() != TimestampType.CREATE_TIME) {
      return new Refusal(
          WireError.INVALID_TIMESTAMP, "a producer may not claim the broker's append time");
    }
    if (!batch.hasProducerId()) {
      return batch.isTransactional()
          ? invalid("a transactional batch must have a producer id")
          : null;
    }
    if (batch.producerEpoch() < 0 || batch.baseSequence() < 0) {
      return invalid(
          "producer "
              + batch.producerId()
              + " sent epoch "
              + batch.producerEpoch()
              + " and sequence "
              + batch.baseSequence()
              + ", of which none may be negative");
    }
    return null;
  }

  private static @Nullable Refusal checkContent(
      BatchView batch, PartitionConfig config, long nowMs) {
    if (!config.appendTime() && batch.maxTimestamp() != BatchView.NO_TIMESTAMP) {
      boolean tooLate = batch.maxTimestamp() - nowMs > config.timestampAfterMaxMs();
      boolean tooEarly = nowMs - batch.baseTimestamp() > config.timestampBeforeMaxMs();
      if (tooLate || tooEarly) {
        return new Refusal(
            WireError.INVALID_TIMESTAMP,
            "timestamps from "
                + batch.baseTimestamp()
                + " to "
                + batch.maxTimestamp()
                + " are too far from the broker's "
                + nowMs
                + " (message.timestamp.before.max.ms, message.timestamp.after.max.ms)");
      }
    }
    return checkRecords(batch, config.compacted());
  }

  private static @Nullable Refusal checkRecords(BatchView batch, boolean mustHaveKeys) {
    try {
      RecordLayout.check(batch);
      if (!mustHaveKeys) {
        return null;
      }
      RecordIterator records = RecordIterator.of(batch);
      while (records.next()) {
        if (records.record().key() == null) {
          return invalid("a compacted topic takes no record without a key");
        }
      }
      return null;
    } catch (MalformedBatchException e) {
      return invalid("the records cannot be read: " + e.getMessage());
    }
  }

  private static Refusal invalid(String sentence) {
    return new Refusal(WireError.INVALID_RECORD, sentence);
  }
}
