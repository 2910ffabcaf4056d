package io.fencepost.broker.batch;

import java.nio.ByteBuffer;

/**
 * Says whether bytes are one intact batch of format 2. Used on the produce path, for followers'
 * fetches and by recovery. Never throws and never reads past the given limit, whatever the bytes.
 */
public final class BatchCheck {
  private BatchCheck() {}

  /** What the bytes are. */
  public enum Verdict {
    GOOD("intact"),
    SHORT("the batch goes on behind the end of the bytes"),
    BAD_LENGTH("the length is smaller than a batch header"),
    OLD_FORMAT(
        "message format 0 or 1, which is not supported: use a client of Kafka 0.11 or newer"),
    BAD_MAGIC("the format number is none that exists"),
    BAD_CRC("the checksum does not fit the bytes"),
    BAD_COUNT("record count or last offset delta is out of range"),
    BAD_ATTRIBUTES("compression number does not exist");

    private final String sentence;

    Verdict(String sentence) {
      this.sentence = sentence;
    }

    public String sentence() {
      return sentence;
    }
  }

  /** Judges the batch at this index of the buffer; the bytes end at the buffer's limit. */
  public static Verdict check(ByteBuffer buffer, int position) {
    Verdict header = checkHeader(buffer, position);
    if (header != Verdict.GOOD) {
      return header;
    }
    BatchView view = new BatchView().wrap(buffer, position);
    return view.crc() == view.computeCrc() ? Verdict.GOOD : Verdict.BAD_CRC;
  }

  /** Judges all but the checksum. */
  public static Verdict checkHeader(ByteBuffer buffer, int position) {
    return checkHeader(buffer, position, buffer.limit() - position);
  }

  /**
   * Judges all but the checksum of a batch of which the buffer may hold the header only.
   *
   * @param availableBytes how many bytes there are in all from the batch's first one on
   */
  public static Verdict checkHeader(ByteBuffer buffer, int position, long availableBytes) {
    if (availableBytes < BatchView.PREFIX_BYTES) {
      return Verdict.SHORT;
    }
    int length = buffer.getInt(position + BatchView.LENGTH_AT);
    if (length < 0 || length > Integer.MAX_VALUE - BatchView.PREFIX_BYTES) {
      return Verdict.BAD_LENGTH;
    }
    if (availableBytes > BatchView.MAGIC_AT) {
      byte magic = buffer.get(position + BatchView.MAGIC_AT);
      if (magic == 0 || magic == 1) {
        return Verdict.OLD_FORMAT;
      }
      if (magic != BatchView.MAGIC) {
        return Verdict.BAD_MAGIC;
      }
    }
    if (length < BatchView.HEADER_BYTES - BatchView.PREFIX_BYTES) {
      return Verdict.BAD_LENGTH;
    }
    return availableBytes < length + BatchView.PREFIX_BYTES
        ? Verdict.SHORT
        : checkFields(buffer, position);
  }

  /** A header that is wholly in the buffer, its batch perhaps not. */
  private static Verdict checkFields(ByteBuffer buffer, int position) {
    int lastOffsetDelta = buffer.getInt(position + BatchView.LAST_OFFSET_DELTA_AT);
    int recordCount = buffer.getInt(position + BatchView.RECORD_COUNT_AT);
    // Compaction may leave fewer records than offsets, even none, but never more.
    if (lastOffsetDelta < 0 || recordCount < 0 || recordCount - 1 > lastOffsetDelta) {
      return Verdict.BAD_COUNT;
    }
    long baseOffset = buffer.getLong(position);
    if (baseOffset < 0 || baseOffset > Long.MAX_VALUE - 1 - lastOffsetDelta) {
      return Verdict.BAD_COUNT;
    }
    int compression =
        buffer.getShort(position + BatchView.ATTRIBUTES_AT) & BatchView.COMPRESSION_MASK;
    return compression > BatchView.COMPRESSION_MAX ? Verdict.BAD_ATTRIBUTES : Verdict.GOOD;
  }
}
