package io.fencepost.broker.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same records give the same bytes as in Kafka's own classes, and the other way round. */
class BatchAgainstKafkaTest {
  private static final long SEED = 20261129L;

  @Test
  void a_written_batch_has_the_bytes_of_kafkas_builder() {
    Random random = new Random(SEED);
    for (int round = 0; round < 300; round++) {
      List<SimpleRecord> records = randomRecords(random, 1 + random.nextInt(20));
      long baseOffset = random.nextInt(3) == 0 ? 0 : random.nextLong() >>> 2;
      long producerId = random.nextInt(3) == 0 ? -1 : random.nextInt(100_000);
      short epoch = producerId < 0 ? -1 : (short) random.nextInt(100);
      int sequence = producerId < 0 ? -1 : random.nextInt(Integer.MAX_VALUE);
      int leaderEpoch = random.nextInt(9) - 1;
      boolean transactional = producerId >= 0 && random.nextBoolean();

      MemoryRecords expected =
          kafkas(
              Compression.NONE,
              records,
              new Identity(baseOffset, leaderEpoch, producerId, epoch, sequence, transactional));
      BatchWriter writer =
          BatchWriter.at(baseOffset).leaderEpoch(leaderEpoch).producer(producerId, epoch, sequence);
      if (transactional) {
        writer.transactional();
      }
      for (SimpleRecord record : records) {
        writer.add(
            record.timestamp(), bytes(record.key()), bytes(record.value()), ours(record.headers()));
      }
      assertThat(writer.build()).as("round " + round).isEqualTo(expected.buffer());
    }
  }

  @Test
  void a_marker_has_the_bytes_of_kafkas_end_of_transaction() {
    for (boolean commit : new boolean[] {true, false}) {
      MemoryRecords expected =
          MemoryRecords.withEndTransactionMarker(
              0,
              12345L,
              -1,
              77L,
              (short) 5,
              new EndTransactionMarker(
                  commit ? ControlRecordType.COMMIT : ControlRecordType.ABORT, 9));
      ByteBuffer marker = new ControlMarker(commit, 9).toBatch(77L, (short) 5, 12345L);
      assertThat(marker).isEqualTo(expected.buffer());
      assertThat(ControlMarker.of(new BatchView().wrap(marker, 0)))
          .isEqualTo(new ControlMarker(commit, 9));
    }
  }

  @Test
  void the_view_tells_what_kafkas_batch_tells() {
    Random random = new Random(SEED + 1);
    for (int round = 0; round < 100; round++) {
      Identity identity =
          new Identity(
              random.nextInt(1000),
              random.nextInt(5),
              random.nextInt(5),
              (short) 3,
              Integer.MAX_VALUE - random.nextInt(10),
              random.nextBoolean());
      MemoryRecords records =
          kafkas(Compression.NONE, randomRecords(random, 1 + random.nextInt(20)), identity);
      RecordBatch theirs = records.batches().iterator().next();
      BatchView ours = new BatchView().wrap(records.buffer(), 0);
      assertThat(ours.baseOffset()).isEqualTo(theirs.baseOffset());
      assertThat(ours.lastOffset()).isEqualTo(theirs.lastOffset());
      assertThat(ours.nextOffset()).isEqualTo(theirs.nextOffset());
      assertThat(ours.sizeBytes()).isEqualTo(theirs.sizeInBytes());
      assertThat(ours.leaderEpoch()).isEqualTo(theirs.partitionLeaderEpoch());
      assertThat(ours.maxTimestamp()).isEqualTo(theirs.maxTimestamp());
      assertThat(ours.producerId()).isEqualTo(theirs.producerId());
      assertThat(ours.producerEpoch()).isEqualTo(theirs.producerEpoch());
      assertThat(ours.baseSequence()).isEqualTo(theirs.baseSequence());
      assertThat(ours.lastSequence()).isEqualTo(theirs.lastSequence());
      assertThat(ours.isTransactional()).isEqualTo(theirs.isTransactional());
      assertThat(ours.isControl()).isEqualTo(theirs.isControlBatch());
      assertThat(ours.crc()).isEqualTo(theirs.checksum()).isEqualTo(ours.computeCrc());
      assertThat(ours.recordCount()).isEqualTo(theirs.countOrNull());
    }
  }

  @Test
  void setting_the_append_time_keeps_the_batch_intact() {
    MemoryRecords records =
        kafkas(
            Compression.NONE,
            randomRecords(new Random(SEED), 3),
            new Identity(4, 0, -1, (short) -1, -1, false));
    BatchView view = new BatchView().wrap(records.buffer(), 0);
    view.assign(99, 7);
    view.assignAppendTime(5_000);
    RecordBatch theirs = records.batches().iterator().next();
    theirs.ensureValid();
    assertThat(theirs.baseOffset()).isEqualTo(99);
    assertThat(theirs.partitionLeaderEpoch()).isEqualTo(7);
    assertThat(theirs.timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
    assertThat(theirs).allSatisfy(record -> assertThat(record.timestamp()).isEqualTo(5_000));
    RecordIterator ours = RecordIterator.of(view);
    while (ours.next()) {
      assertThat(ours.record().timestamp()).isEqualTo(5_000);
    }
  }

  @ParameterizedTest
  @EnumSource(io.fencepost.broker.batch.Compression.class)
  void records_of_every_codec_are_read(io.fencepost.broker.batch.Compression codec) {
    Random random = new Random(SEED + 2);
    for (int round = 0; round < 20; round++) {
      List<SimpleRecord> records = randomRecords(random, 1 + random.nextInt(400));
      MemoryRecords batch =
          kafkas(kafkas(codec), records, new Identity(50, 0, -1, (short) -1, -1, false));
      BatchView view = new BatchView().wrap(batch.buffer(), 0);
      assertThat(view.compression()).isEqualTo(codec);
      RecordIterator ours = RecordIterator.of(view);
      for (Record record : batch.records()) {
        assertThat(ours.next()).isTrue();
        RecordView here = ours.record();
        assertThat(here.offset()).isEqualTo(record.offset());
        assertThat(here.timestamp()).isEqualTo(record.timestamp());
        assertThat(here.key()).isEqualTo(record.key());
        assertThat(here.value()).isEqualTo(record.value());
        assertThat(described(here.headers())).isEqualTo(described(ours(record.headers())));
      }
      assertThat(ours.next()).isFalse();
    }
  }

  private static List<String> described(List<io.fencepost.broker.batch.RecordHeader> headers) {
    return headers.stream().map(it -> it.key() + Arrays.toString(it.value())).toList();
  }

  private record Identity(
      long baseOffset,
      int leaderEpoch,
      long producerId,
      short epoch,
      int sequence,
      boolean transactional) {}

  private static MemoryRecords kafkas(
      Compression compression, List<SimpleRecord> records, Identity identity) {
    MemoryRecordsBuilder builder =
        new MemoryRecordsBuilder(
            ByteBuffer.allocate(1024),
            RecordBatch.MAGIC_VALUE_V2,
            compression,
            TimestampType.CREATE_TIME,
            identity.baseOffset,
            0L,
            identity.producerId,
            identity.epoch,
            identity.sequence,
            identity.transactional,
            false,
            identity.leaderEpoch,
            Integer.MAX_VALUE);
    records.forEach(builder::append);
    return builder.build();
  }

  static Compression kafkas(io.fencepost.broker.batch.Compression codec) {
    return switch (codec) {
      case NONE -> Compression.NONE;
      case GZIP -> Compression.gzip().build();
      case SNAPPY -> Compression.snappy().build();
      case LZ4 -> Compression.lz4().build();
      case ZSTD -> Compression.zstd().build();
    };
  }

  static List<SimpleRecord> randomRecords(Random random, int count) {
    List<SimpleRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Header[] headers = new Header[random.nextInt(3)];
      for (int h = 0; h < headers.length; h++) {
        headers[h] = new RecordHeader("kind-ä" + h, randomBytes(random));
      }
      long timestamp = 1_790_000_000_000L + random.nextInt(100_000) - 50_000;
      records.add(new SimpleRecord(timestamp, randomBytes(random), randomBytes(random), headers));
    }
    return records;
  }

  /** Null, empty, noise or text that compresses. */
  private static byte[] randomBytes(Random random) {
    int kind = random.nextInt(6);
    if (kind == 0) {
      return null;
    }
    byte[] bytes = new byte[random.nextInt(kind == 1 ? 5000 : 100)];
    if (kind < 3) {
      random.nextBytes(bytes);
    } else {
      byte[] text = "account 42 pays 17.50 to account 43; ".getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = text[i % text.length];
      }
    }
    return bytes;
  }

  private static List<io.fencepost.broker.batch.RecordHeader> ours(Header[] headers) {
    List<io.fencepost.broker.batch.RecordHeader> ours = new ArrayList<>();
    for (Header header : headers) {
      ours.add(new io.fencepost.broker.batch.RecordHeader(header.key(), header.value()));
    }
    return ours;
  }

  private static byte[] bytes(ByteBuffer buffer) {
    if (buffer == null) {
      return null;
    }
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
