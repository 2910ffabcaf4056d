package io.fencepost.broker.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordLayoutTest {
  private static final int COUNT_AT = 57;
  private static final int RECORDS_AT = 61;

  private static ByteBuffer batch(SplittableRandom random) {
    BatchWriter writer = BatchWriter.at(0);
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      List<RecordHeader> headers =
          random.nextBoolean()
              ? List.of()
              : List.of(new RecordHeader("h", new byte[2]), new RecordHeader("", null));
      writer.add(1000 + random.nextInt(100_000), bytes(random), bytes(random), headers);
    }
    return writer.build();
  }

  private static byte[] bytes(SplittableRandom random) {
    if (random.nextInt(4) == 0) {
      return null;
    }
    byte[] bytes = new byte[random.nextInt(random.nextInt(10) == 0 ? 300 : 12)];
    random.nextBytes(bytes);
    return bytes;
  }

  /** The same batch with its records under a codec. */
  private static ByteBuffer packed(Compression codec, ByteBuffer batch) {
    ByteBuffer records = Codec.compress(codec, new BatchView().wrap(batch, 0).records());
    ByteBuffer packed = ByteBuffer.allocate(RECORDS_AT + records.remaining());
    packed.put(batch.duplicate().limit(RECORDS_AT)).put(records).flip();
    packed.putInt(BatchView.LENGTH_AT, packed.limit() - BatchView.PREFIX_BYTES);
    return packed.putShort(BatchView.ATTRIBUTES_AT, (short) codec.ordinal());
  }

  private static boolean fits(ByteBuffer batch) {
    try {
      RecordLayout.of(new BatchView().wrap(batch, 0), 1 << 20);
      return true;
    } catch (MalformedBatchException e) {
      return false;
    }
  }

  /** What the reader of single records says, and that they stand at their own offsets. */
  private static boolean canBeRead(ByteBuffer batch) {
    try {
      RecordIterator records = RecordIterator.of(new BatchView().wrap(batch, 0));
      long offset = 0;
      boolean inOrder = true;
      while (records.next()) {
        inOrder &= records.record().offset() == offset++;
      }
      return inOrder;
    } catch (MalformedBatchException e) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void it_lets_through_exactly_what_can_be_read(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int good = 0;
    int bad = 0;
    for (int round = 0; round < 5_000; round++) {
      ByteBuffer batch = batch(random);
      assertThat(fits(batch)).isTrue();
      int at = RECORDS_AT + random.nextInt(batch.limit() - RECORDS_AT);
      batch.put(at, (byte) random.nextInt(256));
      boolean expected = canBeRead(batch);
      Compression codec = Compression.values()[random.nextInt(Compression.values().length)];
      assertThat(fits(packed(codec, batch)))
          .as("seed %d round %d byte %d %s", seed, round, at, codec)
          .isEqualTo(expected);
      good += expected ? 1 : 0;
      bad += expected ? 0 : 1;
    }
    assertThat(good).isGreaterThan(100);
    assertThat(bad).isGreaterThan(100);
  }

  @Test
  void more_or_fewer_records_than_stated_are_named() {
    ByteBuffer batch =
        BatchWriter.at(0).add(1, null, new byte[3]).add(1, null, new byte[3]).build();
    batch.putInt(COUNT_AT, 1);
    assertThatThrownBy(() -> RecordLayout.of(new BatchView().wrap(batch, 0), 1 << 20))
        .hasMessageContaining("bytes stand behind the last of 1 records");
    batch.putInt(COUNT_AT, 3);
    assertThatThrownBy(() -> RecordLayout.of(new BatchView().wrap(batch, 0), 1 << 20))
        .isInstanceOf(MalformedBatchException.class);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void what_unpacks_to_more_than_the_limit_is_told_apart(Compression codec) {
    BatchWriter writer = BatchWriter.at(0);
    for (int i = 0; i < 30; i++) {
      writer.add(1, new byte[1], new byte[100_000]);
    }
    ByteBuffer batch = packed(codec, writer.build());
    assertThat(RecordLayout.of(new BatchView().wrap(batch, 0), 4 << 20).allHaveKeys()).isTrue();
    assertThatThrownBy(() -> RecordLayout.of(new BatchView().wrap(batch, 0), 2 << 20))
        .isInstanceOf(OversizedBatchException.class);
  }

  @Test
  void keys_and_times_are_those_of_the_records() {
    ByteBuffer batch =
        BatchWriter.at(0)
            .add(500, new byte[1], null)
            .add(300, null, new byte[3])
            .add(BatchView.NO_TIMESTAMP, new byte[1], null)
            .build();
    RecordLayout layout = RecordLayout.of(new BatchView().wrap(batch, 0), 1 << 20);
    assertThat(layout).isEqualTo(new RecordLayout(false, 300, 500));
  }
}
