package io.fencepost.broker.replica;

import io.fencepost.broker.batch.BatchCheck;
import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.Codec;
import io.fencepost.broker.batch.CodecMissingException;
import io.fencepost.broker.batch.Compression;
import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.batch.OversizedBatchException;
import io.fencepost.broker.batch.RecordLayout;
import io.fencepost.broker.batch.TimestampType;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether the bytes that a producer sent for one partition may be written at all: exactly one
 * intact batch of format 2 which claims nothing that only the log decides, with records that can be
 * read. Needs no lock of the partition.
 *
 * <p>Compressed records are unpacked piece by piece and not kept. A batch may unpack to {@link
 * #SHARE} times the largest batch, in a compacted topic to {@link #COMPACTED_SHARE} times, as the
 * cleaner has to hold it; above that a producer is asked for smaller ones.
 */
final class RecordsCheck {
  private static final long SHARE = 64;
  private static final long COMPACTED_SHARE = 8;

  /** So many unpack at a time in this JVM, whose memory they share; of the heavy ones, one. */
  private static final List<Object> LANES =
      Stream.generate(Object::new).limit(8).collect(Collectors.toUnmodifiableList());

  private RecordsCheck() {}

  /** Why bytes are refused. */
  record Refusal(WireError error, String sentence) {}

  /**
   * Null if the records may be written, as far as can be said without the partition's state. Puts
   * the latest time of the records into the header if it tells another, as Apache Kafka does.
   */
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
    try {
      RecordLayout layout = layout(batch, config);
      if (config.compacted() && !layout.allHaveKeys()) {
        return invalid("a compacted topic takes no record without a key");
      }
      Refusal refusal = config.appendTime() ? null : checkTimes(layout, config, nowMs);
      if (refusal == null && layout.maxTimestamp() != batch.maxTimestamp()) {
        batch.assignMaxTimestamp(layout.maxTimestamp());
      }
      return refusal;
    } catch (OversizedBatchException e) {
      return new Refusal(
          WireError.MESSAGE_TOO_LARGE, "the records are too many for one batch: " + e.getMessage());
    } catch (MalformedBatchException e) {
      return invalid("the records cannot be read: " + e.getMessage());
    } catch (CodecMissingException e) {
      // Nobody here has to look inside, unless the topic is compacted.
      return config.compacted()
          ? new Refusal(
              WireError.UNSUPPORTED_COMPRESSION_TYPE, "keys must be seen here: " + e.getMessage())
          : null;
    }
  }

  private static RecordLayout layout(BatchView batch, PartitionConfig config) {
    long share = config.compacted() ? COMPACTED_SHARE : SHARE;
    long limitBytes = Math.max(share << 20, share * config.maxMessageBytes());
    Compression compression = batch.compression();
    if (compression == Compression.NONE) {
      return RecordLayout.of(batch, limitBytes);
    }
    boolean isHeavy = Codec.isHeavy(compression, batch.records());
    synchronized (LANES.get(isHeavy ? 0 : (int) (batch.crc() % LANES.size()))) {
      return RecordLayout.of(batch, limitBytes);
    }
  }

  private static @Nullable Refusal checkTimes(
      RecordLayout layout, PartitionConfig config, long nowMs) {
    boolean tooLate = layout.maxTimestamp() - nowMs > config.timestampAfterMaxMs();
    boolean tooEarly = nowMs - layout.minTimestamp() > config.timestampBeforeMaxMs();
    return tooLate || tooEarly
        ? new Refusal(
            WireError.INVALID_TIMESTAMP,
            "timestamps from "
                + layout.minTimestamp()
                + " to "
                + layout.maxTimestamp()
                + " are too far from the broker's "
                + nowMs
                + " (message.timestamp.before.max.ms, message.timestamp.after.max.ms)")
        : null;
  }

  private static Refusal invalid(String sentence) {
    return new Refusal(WireError.INVALID_RECORD, sentence);
  }
}
