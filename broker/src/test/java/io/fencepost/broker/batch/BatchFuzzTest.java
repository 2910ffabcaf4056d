package io.fencepost.broker.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever the bytes: a verdict, or the one declared exception, and no read past the end. */
class BatchFuzzTest {
  private static final long SEED = 4711;

  @Test
  void garbage_is_never_taken_for_a_batch() {
    Random random = new Random(SEED);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      if (bytes.length > 16 && random.nextBoolean()) {
        bytes[16] = 2;
        ByteBuffer.wrap(bytes).putInt(8, random.nextInt(200));
      }
      assertThat(BatchCheck.check(ByteBuffer.wrap(bytes), 0)).isNotEqualTo(BatchCheck.Verdict.GOOD);
    }
  }

  @Test
  void every_changed_byte_is_noticed_except_offset_and_epoch_which_the_log_sets() {
    byte[] good = batch().array().clone();
    int size = batch().remaining();
    for (int at = 0; at < size; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] bad = java.util.Arrays.copyOf(good, size);
        bad[at] ^= (byte) (1 << bit);
        BatchCheck.Verdict verdict = BatchCheck.check(ByteBuffer.wrap(bad), 0);
        boolean settable = at < 8 || (at >= 12 && at < 16);
        if (!settable) {
          assertThat(verdict).as("byte " + at).isNotEqualTo(BatchCheck.Verdict.GOOD);
        }
      }
    }
  }

  @Test
  void every_shorter_piece_is_short() {
    ByteBuffer good = batch();
    for (int size = 0; size < good.remaining(); size++) {
      ByteBuffer piece = good.duplicate();
      piece.limit(size);
      assertThat(BatchCheck.check(piece, 0)).isEqualTo(BatchCheck.Verdict.SHORT);
    }
  }

  @Test
  void old_formats_are_named() {
    byte[] bytes = new byte[40];
    ByteBuffer.wrap(bytes).putInt(8, 22);
    bytes[16] = 1;
    assertThat(BatchCheck.check(ByteBuffer.wrap(bytes), 0))
        .isEqualTo(BatchCheck.Verdict.OLD_FORMAT);
  }

  @Test
  void damaged_records_give_the_declared_exception_only() {
    Random random = new Random(SEED + 1);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      ByteBuffer batch = batch();
      byte[] bytes = batch.array();
      for (int i = 0; i < 1 + random.nextInt(4); i++) {
        bytes[BatchView.HEADER_BYTES + random.nextInt(batch.remaining() - BatchView.HEADER_BYTES)] =
            (byte) random.nextInt();
      }
      // Also as if compressed: every decoder must stand garbage.
      bytes[22] = (byte) random.nextInt(5);
      try {
        RecordIterator records = RecordIterator.of(new BatchView().wrap(batch, 0));
        while (records.next()) {
          records.record().headers();
        }
      } catch (MalformedBatchException expected) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(10_000);
  }

  private static ByteBuffer batch() {
    BatchWriter writer = BatchWriter.at(5).producer(3, (short) 1, 9);
    for (int i = 0; i < 4; i++) {
      writer.add(
          100 + i,
          ("k" + i).getBytes(StandardCharsets.UTF_8),
          ("value " + i).getBytes(StandardCharsets.UTF_8),
          List.of(new RecordHeader("h", new byte[] {1, 2})));
    }
    return writer.build();
  }
}
