package io.fencepost.broker.replica;

import io.fencepost.broker.batch.BatchCheck;
import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.Codec;
import io.fencepost.broker.batch.CodecMissingException;
import io.fencepost.broker.batch.Compression;
import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.batch.OversizedBatchException;
import io.fencepost.broker.batch.RecordLayout;
import io.fencepost.broker.batch.RecordWalk;
import io.fencepost.broker.batch.TimestampType;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
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

  private static final String WITHOUT_KEY = "a compacted topic takes no record without a key";

  private RecordsCheck() {}

  /** So many single records are named at most: an answer must not outgrow its request. */
  private static final int FAULTS_MAX = 10_000;

  /** Why bytes are refused; if only some records are to blame, which. */
  record Refusal(WireError error, String sentence, List<AppendResult.RecordFault> faults) {
    Refusal(WireError error, String sentence) {
      this(error, sentence, List.of());
    }
  }

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
      RecordLayout layout = unpack(batch, config, RecordLayout::of);
      boolean lacksKeys = config.compacted() && !layout.allHaveKeys();
      boolean isOffTime =
          isOffTime(layout.minTimestamp(), config, nowMs)
              || isOffTime(layout.maxTimestamp(), config, nowMs);
      if (lacksKeys || isOffTime) {
        return new Refusal(
            isOffTime ? WireError.INVALID_TIMESTAMP : WireError.INVALID_RECORD,
            isOffTime ? sentenceOfTimes(layout, nowMs) : WITHOUT_KEY,
            unpack(batch, config, (whole, limit) -> faults(whole, limit, config, nowMs)));
      }
      if (!config.appendTime() && layout.maxTimestamp() != batch.maxTimestamp()) {
        batch.assignMaxTimestamp(layout.maxTimestamp());
      }
      return null;
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

  private static <T> T unpack(
      BatchView batch, PartitionConfig config, BiFunction<BatchView, Long, T> reader) {
    long share = config.compacted() ? COMPACTED_SHARE : SHARE;
    long limitBytes = Math.max(share << 20, share * config.maxMessageBytes());
    Compression compression = batch.compression();
    if (compression == Compression.NONE) {
      return reader.apply(batch, limitBytes);
    }
    boolean isHeavy = Codec.isHeavy(compression, batch.records());
    synchronized (LANES.get(isHeavy ? 0 : (int) (batch.crc() % LANES.size()))) {
      return reader.apply(batch, limitBytes);
    }
  }

  private static boolean isOffTime(long timestamp, PartitionConfig config, long nowMs) {
    return !config.appendTime()
        && timestamp != BatchView.NO_TIMESTAMP
        && timestamp != RecordLayout.NO_MINIMUM
        && (timestamp - nowMs > config.timestampAfterMaxMs()
            || nowMs - timestamp > config.timestampBeforeMaxMs());
  }

  private static String sentenceOfTimes(RecordLayout layout, long nowMs) {
    return "timestamps from "
        + layout.minTimestamp()
        + " to "
        + layout.maxTimestamp()
        + " are too far from the broker's "
        + nowMs
        + " (message.timestamp.before.max.ms, message.timestamp.after.max.ms)";
  }

  private static List<AppendResult.RecordFault> faults(
      BatchView batch, long limitBytes, PartitionConfig config, long nowMs) {
    List<AppendResult.RecordFault> faults = new ArrayList<>();
    try (RecordWalk records = RecordWalk.of(batch, limitBytes)) {
      for (int index = 0; faults.size() < FAULTS_MAX && records.next(); index++) {
        if (config.compacted() && !records.hasKey()) {
          faults.add(new AppendResult.RecordFault(index, WITHOUT_KEY));
        } else if (isOffTime(records.timestamp(), config, nowMs)) {
          faults.add(
              new AppendResult.RecordFault(
                  index, "the timestamp " + records.timestamp() + " is too far from now"));
        }
      }
    }
    return faults;
  }

  private static Refusal invalid(String sentence) {
    return new Refusal(WireError.INVALID_RECORD, sentence);
  }
}
