package io.fencepost.txn.group;

import io.fencepost.broker.wire.TopicPartition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * How offsets look as rows. Strings in keys carry their length in front, so that no name can run
 * into its neighbour and the rows of one group lie together.
 */
final class OffsetRows {
  private static final byte BY_PRODUCER = 1;
  private static final byte BY_PARTITION = 2;
  private static final int FIXED_BYTES = 4 * Long.BYTES + Integer.BYTES;

  private OffsetRows() {}

  static byte[] ofGroup(String group) {
    byte[] text = bytes(group);
    return ByteBuffer.allocate(Integer.BYTES + text.length).putInt(text.length).put(text).array();
  }

  static byte[] committed(OffsetKey key) {
    byte[] group = bytes(key.group());
    byte[] topic = bytes(key.partition().topic());
    ByteBuffer out = ByteBuffer.allocate(3 * Integer.BYTES + group.length + topic.length);
    put(out, group);
    put(out, topic);
    return out.putInt(key.partition().partition()).array();
  }

  static OffsetKey keyOf(byte[] committedRow) {
    return key(ByteBuffer.wrap(committedRow));
  }

  /** All that a producer staged. */
  static byte[] stagedBy(long producerId) {
    return ByteBuffer.allocate(1 + Long.BYTES).put(BY_PRODUCER).putLong(producerId).array();
  }

  static byte[] staged(long producerId, OffsetKey key) {
    byte[] row = committed(key);
    return ByteBuffer.allocate(1 + Long.BYTES + row.length)
        .put(BY_PRODUCER)
        .putLong(producerId)
        .put(row)
        .array();
  }

  /** Whether the row holds what was staged, and does not only point to it. */
  static boolean isStaged(byte[] row) {
    return row.length > 0 && row[0] == BY_PRODUCER;
  }

  static OffsetKey keyOfStaged(byte[] row) {
    ByteBuffer in = ByteBuffer.wrap(row);
    in.position(1 + Long.BYTES);
    return key(in);
  }

  /** All producers that staged something for the partition. */
  static byte[] stagedFor(OffsetKey key) {
    byte[] row = committed(key);
    return ByteBuffer.allocate(1 + row.length).put(BY_PARTITION).put(row).array();
  }

  static byte[] stagedForAll() {
    return new byte[] {BY_PARTITION};
  }

  static byte[] stagedForGroup(String group) {
    byte[] row = ofGroup(group);
    return ByteBuffer.allocate(1 + row.length).put(BY_PARTITION).put(row).array();
  }

  static byte[] stagedFor(OffsetKey key, long producerId) {
    byte[] row = stagedFor(key);
    return ByteBuffer.allocate(row.length + Long.BYTES).put(row).putLong(producerId).array();
  }

  static OffsetKey keyOfStagedFor(byte[] row) {
    ByteBuffer in = ByteBuffer.wrap(row);
    in.position(1);
    return key(in);
  }

  static long producerOfStagedFor(byte[] row) {
    return ByteBuffer.wrap(row).getLong(row.length - Long.BYTES);
  }

  static byte[] value(StoredOffset stored) {
    return put(ByteBuffer.allocate(FIXED_BYTES + bytes(stored.metadata()).length), stored).array();
  }

  static StoredOffset stored(byte[] value) {
    return stored(ByteBuffer.wrap(value));
  }

  static byte[] stagedValue(short producerEpoch, StoredOffset stored) {
    int sizeBytes = Short.BYTES + FIXED_BYTES + bytes(stored.metadata()).length;
    return put(ByteBuffer.allocate(sizeBytes).putShort(producerEpoch), stored).array();
  }

  static short epochOfStaged(byte[] value) {
    return ByteBuffer.wrap(value).getShort();
  }

  static StoredOffset storedOfStaged(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    in.position(Short.BYTES);
    return stored(in);
  }

  private static OffsetKey key(ByteBuffer in) {
    String group = text(in);
    String topic = text(in);
    return new OffsetKey(group, new TopicPartition(topic, in.getInt()));
  }

  private static ByteBuffer put(ByteBuffer out, StoredOffset stored) {
    return out.putLong(stored.offset())
        .putInt(stored.leaderEpoch())
        .putLong(stored.commitMs())
        .putLong(stored.expireMs())
        .putLong(stored.logOffset())
        .put(bytes(stored.metadata()));
  }

  private static StoredOffset stored(ByteBuffer in) {
    long offset = in.getLong();
    int leaderEpoch = in.getInt();
    long commitMs = in.getLong();
    long expireMs = in.getLong();
    long logOffset = in.getLong();
    byte[] metadata = new byte[in.remaining()];
    in.get(metadata);
    return new StoredOffset(
        offset,
        leaderEpoch,
        new String(metadata, StandardCharsets.UTF_8),
        commitMs,
        expireMs,
        logOffset);
  }

  private static void put(ByteBuffer out, byte[] text) {
    out.putInt(text.length).put(text);
  }

  private static String text(ByteBuffer in) {
    byte[] text = new byte[in.getInt()];
    in.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
