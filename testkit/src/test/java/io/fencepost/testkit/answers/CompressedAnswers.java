package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.batch.Codec;
import io.fencepost.broker.batch.Compression;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches whose records are compressed, and wrong or right inside. */
interface CompressedAnswers extends Asked {
  int PRODUCE = 9;
  int HEADER = BatchView.HEADER_BYTES;
  int HOUR_MS = 3_600_000;

  /** Three records. */
  private static ByteBuffer plain(long... times) {
    BatchWriter writer = BatchWriter.at(0);
    for (long time : times) {
      writer.add(time, new byte[] {'k'}, new byte[3]);
    }
    return writer.build();
  }

  private static byte[] records(ByteBuffer batch) {
    byte[] records = new byte[batch.limit() - HEADER];
    batch.get(HEADER, records);
    return records;
  }

  private static byte[] packed(Compression codec, byte[] records) {
    ByteBuffer packed = Codec.compress(codec, ByteBuffer.wrap(records));
    byte[] bytes = new byte[packed.remaining()];
    packed.get(bytes);
    return bytes;
  }

  /** A batch with this header and this behind it. */
  private static ByteBuffer batch(ByteBuffer header, Compression codec, byte[] payload) {
    ByteBuffer batch = ByteBuffer.allocate(HEADER + payload.length);
    batch.put(header.duplicate().limit(HEADER)).put(payload).flip();
    batch.putInt(BatchAnswers.LENGTH, batch.limit() - BatchView.PREFIX_BYTES);
    batch.putShort(BatchAnswers.ATTRIBUTES, (short) codec.ordinal());
    return checked(batch);
  }

  private static ByteBuffer checked(ByteBuffer batch) {
    return batch.putInt(BatchAnswers.CRC, (int) new BatchView().wrap(batch, 0).computeCrc());
  }

  private static ByteBuffer now(int records) {
    long[] times = new long[records];
    Arrays.fill(times, System.currentTimeMillis());
    return plain(times);
  }

  private String answer(Talk.Topic topic, ByteBuffer batch) {
    return talk().produce(PRODUCE, Producer.NOBODY, topic, 0, batch);
  }

  @ParameterizedTest
  @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  default void records_that_are_not_what_a_compressed_batch_says_are_invalid(Compression codec) {
    Talk.Topic topic = talk().newTopic(1);
    ByteBuffer three = now(3);
    byte[] good = packed(codec, records(three));
    for (int count : new int[] {2, 4}) {
      ByteBuffer batch = batch(three, codec, good);
      batch.putInt(BatchAnswers.COUNT, count).putInt(BatchAnswers.LAST_OFFSET_DELTA, count - 1);
      assertThat(answer(topic, checked(batch))).as("%d", count).isEqualTo("INVALID_RECORD");
    }
    byte[] longer = Arrays.copyOf(records(three), records(three).length + 3);
    assertThat(answer(topic, batch(three, codec, packed(codec, longer))))
        .isEqualTo("INVALID_RECORD");
    byte[] shorter = records(three);
    shorter[0] = 1;
    assertThat(answer(topic, batch(three, codec, packed(codec, shorter))))
        .isEqualTo("INVALID_RECORD");
    assertThat(talk().end(topic, 0)).isZero();
    assertThat(answer(topic, batch(three, codec, good))).isEqualTo("@0");
  }

  @ParameterizedTest
  @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  default void what_does_not_unpack(Compression codec) {
    Talk.Topic topic = talk().newTopic(1);
    ByteBuffer three = now(3);
    byte[] good = packed(codec, records(three));
    byte[] garbage = new byte[60];
    new SplittableRandom(5).nextBytes(garbage);
    assertThat(answer(topic, batch(three, codec, garbage))).isEqualTo(answerToWhatDoesNotUnpack());
    assertThat(answer(topic, batch(three, codec, Arrays.copyOf(good, good.length / 2))))
        .isEqualTo(answerToWhatDoesNotUnpack());
    byte[] displaced = records(three);
    displaced[BatchAnswers.OFFSET_DELTA - HEADER] = 4;
    assertThat(answer(topic, batch(three, codec, packed(codec, displaced))))
        .isEqualTo(answerToWhatDoesNotUnpack());
    assertThat(talk().end(topic, 0)).isZero();
  }

  /** Kafka stumbles over it, and over an offset that is not that of its place. */
  default String answerToWhatDoesNotUnpack() {
    return "UNKNOWN_SERVER_ERROR";
  }

  @ParameterizedTest
  @EnumSource
  default void a_compacted_topic_takes_no_packed_record_without_key(Compression codec) {
    Talk.Topic topic = talk().newTopic(1, "cleanup.policy", "compact");
    long now = System.currentTimeMillis();
    ByteBuffer keyless =
        BatchWriter.at(0).add(now, new byte[1], null).add(now, null, new byte[3]).build();
    byte[] payload = packed(codec, records(keyless));
    assertThat(answer(topic, batch(keyless, codec, payload))).isEqualTo("INVALID_RECORD");
    ByteBuffer two = now(2);
    assertThat(answer(topic, batch(two, codec, packed(codec, records(two))))).isEqualTo("@0");
  }

  @ParameterizedTest
  @EnumSource
  default void the_times_of_records_count_and_not_what_the_header_says(Compression codec) {
    Talk.Topic topic = talk().newTopic(1);
    long now = System.currentTimeMillis();
    ByteBuffer late = plain(now, now + 2 * HOUR_MS);
    byte[] payload = packed(codec, records(late));
    late.putLong(BatchAnswers.MAX_TIMESTAMP, now);
    assertThat(answer(topic, batch(late, codec, payload))).isEqualTo("INVALID_TIMESTAMP");
    ByteBuffer good = plain(now - 5, now - 1, now - 3);
    payload = packed(codec, records(good));
    good.putLong(BatchAnswers.MAX_TIMESTAMP, now + 2 * HOUR_MS);
    assertThat(answer(topic, batch(good, codec, payload))).isEqualTo("@0");
    assertThat(talk().offset(topic.name(), 0, -3, 0))
        .isEqualTo("NONE offset 1 at " + (now - 1) + " in epoch 0");
    good.putLong(BatchAnswers.MAX_TIMESTAMP, now - 5);
    assertThat(answer(topic, batch(good, codec, payload))).isEqualTo("@3");
    BatchView stored = new BatchView().wrap(talk().fetch(topic, 0, 3, 0).records.toBuffer(), 0);
    assertThat(stored.maxTimestamp()).isEqualTo(now - 1);
    assertThat(stored.crc()).isEqualTo(stored.computeCrc());
  }
}
