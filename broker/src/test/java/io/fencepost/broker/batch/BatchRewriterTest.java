package io.fencepost.broker.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What compaction makes of a batch, as Kafka's own classes read it. */
class BatchRewriterTest {
  private static final long BASE_OFFSET = 1000;
  private static final long PRODUCER = 77;

  @ParameterizedTest
  @EnumSource(Compression.class)
  void what_is_kept_reads_as_before_and_the_rest_is_gone(Compression codec) {
    for (long seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      boolean appendTime = random.nextInt(4) == 0;
      MemoryRecords source = records(random, codec, appendTime);
      BatchView batch = new BatchView().wrap(source.buffer(), 0);
      List<Record> wanted = new ArrayList<>();
      BitSet kept = new BitSet();
      int index = 0;
      for (Record record : source.records()) {
        if (random.nextInt(3) == 0 || index == 0) {
          kept.set(index);
          wanted.add(record);
        }
        index++;
      }
      long horizonMs = random.nextBoolean() ? 5_000_000_000L : BatchRewriter.NO_HORIZON;
      ByteBuffer out = BatchRewriter.rewrite(batch, RecordIterator.of(batch), kept, horizonMs);
      MutableRecordBatch theirs = onlyBatch(out);
      theirs.ensureValid();
      assertThat(theirs.compressionType().name).isEqualTo(codec.name().toLowerCase(Locale.ROOT));
      assertThat(theirs.deleteHorizonMs().orElse(BatchRewriter.NO_HORIZON)).isEqualTo(horizonMs);
      assertThat(theirs.lastSequence()).isEqualTo(batch.lastSequence());
      assertSame(theirs, batch);
      List<Record> found = new ArrayList<>();
      theirs.forEach(found::add);
      assertThat(found).as("seed %d", seed).hasSameSizeAs(wanted);
      for (int i = 0; i < found.size(); i++) {
        assertThat(found.get(i).offset()).isEqualTo(wanted.get(i).offset());
        assertThat(found.get(i).sequence()).isEqualTo(wanted.get(i).sequence());
        assertThat(found.get(i).timestamp()).isEqualTo(wanted.get(i).timestamp());
        assertThat(found.get(i).key()).isEqualTo(wanted.get(i).key());
        assertThat(found.get(i).value()).isEqualTo(wanted.get(i).value());
        assertThat(found.get(i).headers()).isEqualTo(wanted.get(i).headers());
      }
      long greatest = found.stream().mapToLong(Record::timestamp).max().orElseThrow();
      assertThat(theirs.maxTimestamp()).isEqualTo(greatest);
      BatchView ours = new BatchView().wrap(out, 0);
      assertThat(BatchCheck.check(out, 0)).isEqualTo(BatchCheck.Verdict.GOOD);
      RecordIterator again = RecordIterator.of(ours);
      BitSet all = new BitSet();
      all.set(0, found.size());
      ByteBuffer twice = BatchRewriter.rewrite(ours, again, all, BatchRewriter.NO_HORIZON);
      assertThat(twice).as("a second time changes nothing").isEqualTo(out);
    }
  }

  @Test
  void an_empty_batch_still_tells_of_its_producer_and_a_filler_of_nobody() {
    MemoryRecords source = records(new Random(4), Compression.GZIP, false);
    BatchView batch = new BatchView().wrap(source.buffer(), 0);
    RecordBatch empty = onlyBatch(BatchRewriter.empty(batch));
    empty.ensureValid();
    assertThat(empty.iterator()).isExhausted();
    assertThat(empty.isTransactional()).isEqualTo(batch.isTransactional());
    assertThat(empty.lastSequence()).isEqualTo(batch.lastSequence());
    assertSame(empty, batch);
    RecordBatch filler = onlyBatch(BatchRewriter.filler(batch));
    filler.ensureValid();
    assertThat(filler.iterator()).isExhausted();
    assertThat(filler.hasProducerId()).isFalse();
    assertThat(filler.isTransactional()).isFalse();
    assertThat(filler.lastOffset()).isEqualTo(batch.lastOffset());
  }

  private static void assertSame(RecordBatch found, BatchView batch) {
    assertThat(found.baseOffset()).isEqualTo(batch.baseOffset());
    assertThat(found.lastOffset()).isEqualTo(batch.lastOffset());
    assertThat(found.producerId()).isEqualTo(batch.producerId());
    assertThat(found.producerEpoch()).isEqualTo(batch.producerEpoch());
    assertThat(found.baseSequence()).isEqualTo(batch.baseSequence());
    assertThat(found.partitionLeaderEpoch()).isEqualTo(batch.leaderEpoch());
  }

  private static MutableRecordBatch onlyBatch(ByteBuffer bytes) {
    List<MutableRecordBatch> batches = new ArrayList<>();
    MemoryRecords.readableRecords(bytes).batches().forEach(batches::add);
    assertThat(batches).hasSize(1);
    return batches.get(0);
  }

  private static MemoryRecords records(Random random, Compression codec, boolean appendTime) {
    MemoryRecordsBuilder builder =
        new MemoryRecordsBuilder(
            ByteBuffer.allocate(1 << 16),
            RecordBatch.CURRENT_MAGIC_VALUE,
            BatchAgainstKafkaTest.kafkas(codec),
            appendTime
                ? org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME
                : org.apache.kafka.common.record.TimestampType.CREATE_TIME,
            BASE_OFFSET,
            1_700_000_000_000L,
            PRODUCER,
            (short) 3,
            random.nextInt(10),
            true,
            false,
            7,
            1 << 20);
    for (SimpleRecord record :
        BatchAgainstKafkaTest.randomRecords(random, 1 + random.nextInt(600))) {
      builder.append(record);
    }
    return builder.build();
  }
}
