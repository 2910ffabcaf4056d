package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** Batches whose fields or records are wrong, with a checksum that is right. */
interface BatchAnswers extends Asked {
  int VERSION = 9;

  /** Where fields are in a batch. */
  int LENGTH = 8;

  int MAGIC = 16;
  int CRC = 17;
  int ATTRIBUTES = 21;
  int LAST_OFFSET_DELTA = 23;
  int MAX_TIMESTAMP = 35;
  int PRODUCER_ID = 43;
  int PRODUCER_EPOCH = 51;
  int BASE_SEQUENCE = 53;
  int COUNT = 57;

  /** The first record: its length, attributes, time, offset delta and key length, a byte each. */
  int RECORD = 61;

  int OFFSET_DELTA = RECORD + 3;
  int KEY_LENGTH = RECORD + 4;

  private ByteBuffer changed(int records, Consumer<ByteBuffer> change) {
    ByteBuffer batch = Producer.fill(BatchWriter.at(0), records);
    change.accept(batch);
    int length = batch.getInt(LENGTH);
    if (length >= BatchView.HEADER_BYTES && length + BatchView.PREFIX_BYTES <= batch.limit()) {
      batch.putInt(CRC, (int) new BatchView().wrap(batch, 0).computeCrc());
    }
    return batch;
  }

  /** The answer, and nothing was appended. */
  private String refusal(int version, ByteBuffer records) {
    Talk.Topic topic = talk().newTopic(1);
    String answer = talk().produce(version, Producer.NOBODY, topic, 0, records);
    assertThat(talk().end(topic, 0)).as(answer).isZero();
    return answer;
  }

  private String refusal(int records, Consumer<ByteBuffer> change) {
    return refusal(VERSION, changed(records, change));
  }

  @Test
  default void the_formats_before_0_11_are_invalid_in_every_version() {
    for (int version : new int[] {3, 9, 12}) {
      for (int magic = 0; magic < 2; magic++) {
        assertThat(refusal(version, oldMessage(magic))).isEqualTo("INVALID_RECORD");
      }
    }
  }

  private static ByteBuffer oldMessage(int magic) {
    ByteBuffer body = ByteBuffer.allocate(100).put((byte) magic).put((byte) 0);
    if (magic == 1) {
      body.putLong(System.currentTimeMillis());
    }
    body.putInt(1).put((byte) 'k').putInt(1).put((byte) 'v').flip();
    CRC32 crc = new CRC32();
    crc.update(body.duplicate());
    ByteBuffer set = ByteBuffer.allocate(200).putLong(0).putInt(4 + body.remaining());
    return set.putInt((int) crc.getValue()).put(body).flip();
  }

  @Test
  default void a_format_that_does_not_exist_is_corrupt() {
    assertThat(refusal(1, batch -> batch.put(MAGIC, (byte) 3))).isEqualTo("CORRUPT_MESSAGE");
  }

  @Test
  default void zstandard_needs_version_7() {
    for (int version : new int[] {3, 6}) {
      ByteBuffer batch = changed(1, it -> it.putShort(ATTRIBUTES, (short) 4));
      assertThat(refusal(version, batch)).isEqualTo("UNSUPPORTED_COMPRESSION_TYPE");
    }
  }

  @Test
  default void a_codec_that_does_not_exist() {
    for (int codec = 5; codec < 8; codec++) {
      short attributes = (short) codec;
      assertThat(refusal(1, batch -> batch.putShort(ATTRIBUTES, attributes)))
          .isEqualTo(answerToAnUnknownCodec());
    }
  }

  /** Kafka stumbles over it. */
  default String answerToAnUnknownCodec() {
    return "UNKNOWN_SERVER_ERROR";
  }

  @Test
  default void counts_that_do_not_fit_are_invalid() {
    int[][] countsAndDeltas = {
      {0, 0}, {-1, 0}, {2, 0}, {1, -1}, {0, -1}, {1, 1}, {3, 2}, {5, 4}, {1, 0},
    };
    for (int[] wrong : countsAndDeltas) {
      String answer =
          refusal(2, batch -> batch.putInt(COUNT, wrong[0]).putInt(LAST_OFFSET_DELTA, wrong[1]));
      assertThat(answer).as("%d records to %d", wrong[0], wrong[1]).isEqualTo("INVALID_RECORD");
    }
  }

  @Test
  default void a_length_that_is_too_small_for_a_batch_is_corrupt() {
    for (int length : new int[] {Integer.MIN_VALUE, -1, 0, 10, 48}) {
      assertThat(refusal(1, batch -> batch.putInt(LENGTH, length))).isEqualTo("CORRUPT_MESSAGE");
    }
  }

  @Test
  default void a_batch_that_is_not_all_there_is_invalid() {
    assertThat(refusal(1, batch -> batch.putInt(LENGTH, batch.getInt(LENGTH) + 1)))
        .isEqualTo("INVALID_RECORD");
    for (int size : new int[] {10, 40, 79}) {
      assertThat(refusal(VERSION, changed(1, batch -> {}).limit(size))).isEqualTo("INVALID_RECORD");
    }
  }

  @Test
  default void records_that_no_reader_could_read_are_invalid() {
    for (int change : new int[] {-2, 2}) {
      assertThat(refusal(1, batch -> batch.put(RECORD, (byte) (batch.get(RECORD) + change))))
          .isEqualTo("INVALID_RECORD");
    }
    assertThat(refusal(1, batch -> batch.put(RECORD, (byte) 0))).isEqualTo("INVALID_RECORD");
    assertThat(refusal(1, batch -> batch.put(RECORD, (byte) 1))).isEqualTo("INVALID_RECORD");
    assertThat(refusal(1, batch -> batch.put(KEY_LENGTH, (byte) 120))).isEqualTo("INVALID_RECORD");
    assertThat(refusal(1, batch -> batch.put(batch.limit() - 1, (byte) 2)))
        .isEqualTo("INVALID_RECORD");
  }

  @Test
  default void a_record_at_another_offset_than_its_place() {
    Talk.Topic topic = talk().newTopic(1);
    ByteBuffer batch = changed(1, it -> it.put(OFFSET_DELTA, (byte) 2));
    assertThat(talk().produce(VERSION, Producer.NOBODY, topic, 0, batch))
        .isEqualTo(answerToAWrongOffsetDelta());
  }

  /** Kafka looks at this in compressed batches only. */
  default String answerToAWrongOffsetDelta() {
    return "@0";
  }

  @Test
  default void negative_sequences_are_invalid() {
    for (int sequence : new int[] {-1, -2, Integer.MIN_VALUE}) {
      assertThat(refusal(1, of(77_777, 0, sequence))).isEqualTo("INVALID_RECORD");
    }
    assertThat(refusal(1, of(77_777, -1, -1))).isEqualTo("INVALID_RECORD");
  }

  @Test
  default void an_epoch_below_minus_1() {
    assertThat(refusal(1, of(77_777, -2, 0))).isEqualTo(answerToANegativeEpoch());
  }

  /** Kafka treats it like a stale one. */
  default String answerToANegativeEpoch() {
    return "INVALID_PRODUCER_EPOCH";
  }

  @Test
  default void without_a_producer_id_epoch_and_sequence_mean_nothing() {
    int[][] epochsAndSequences = {{-1, 5}, {3, -1}, {3, 0}};
    for (int[] ignored : epochsAndSequences) {
      Talk.Topic topic = talk().newTopic(1);
      ByteBuffer batch = changed(1, of(-1, ignored[0], ignored[1]));
      assertThat(talk().produce(VERSION, Producer.NOBODY, topic, 0, batch)).isEqualTo("@0");
      assertThat(talk().produce(VERSION, Producer.NOBODY, topic, 0, batch)).isEqualTo("@1");
    }
  }

  private static Consumer<ByteBuffer> of(long id, int epoch, int sequence) {
    return batch ->
        batch
            .putLong(PRODUCER_ID, id)
            .putShort(PRODUCER_EPOCH, (short) epoch)
            .putInt(BASE_SEQUENCE, sequence);
  }

  @Test
  default void a_transactional_batch_of_nobody_is_not_authorized() {
    assertThat(refusal(1, batch -> batch.putShort(ATTRIBUTES, (short) 0x10)))
        .isEqualTo("TRANSACTIONAL_ID_AUTHORIZATION_FAILED");
  }

  /** Attributes that no version of the format has given a meaning are kept as they are. */
  @Test
  default void unknown_attributes_are_no_harm() {
    for (short attribute : new short[] {0x80, (short) 0x8000}) {
      Talk.Topic topic = talk().newTopic(1);
      ByteBuffer batch = changed(1, it -> it.putShort(ATTRIBUTES, attribute));
      assertThat(talk().produce(VERSION, Producer.NOBODY, topic, 0, batch)).isEqualTo("@0");
    }
  }
}
