package io.fencepost.testkit.answers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.broker.wire.message.OffsetForLeaderEpochRequest;
import io.fencepost.broker.wire.message.OffsetForLeaderEpochResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Fetch, its sessions, and the questions for offsets. */
interface FetchAnswers extends Asked {
  /** Where it is in a batch. */
  int LEADER_EPOCH = 12;

  private void write(Talk.Topic topic, int records, long timestamp) {
    BatchWriter batch = BatchWriter.at(0);
    for (int i = 0; i < records; i++) {
      batch.add(timestamp, new byte[] {1}, new byte[10]);
    }
    talk().produce(9, Producer.NOBODY, topic, 0, batch.build());
  }

  @Test
  default void the_first_batch_comes_whole_however_small_the_limits_are() {
    Talk.Topic topic = talk().newTopic(1);
    write(topic, 50, 1_000);
    write(topic, 50, 1_000);
    FetchRequest request = Talk.fetchRequest(13, topic, 0, 10);
    request.maxBytes = 1;
    request.topics.get(0).partitions.get(0).partitionMaxBytes = 1;
    assertThat(Talk.batches(talk().fetched(13, request))).containsExactly("data 0-49 e-1");
  }

  /** Offset and leader epoch stand outside of what the checksum covers; all else is as it came. */
  @Test
  default void a_batch_is_read_as_it_was_written_whatever_its_codec() {
    Talk.Topic topic = talk().newTopic(1);
    for (CompressionType codec : CompressionType.values()) {
      SimpleRecord[] records = new SimpleRecord[40];
      for (int i = 0; i < records.length; i++) {
        records[i] =
            new SimpleRecord(System.currentTimeMillis(), null, ("value " + i).getBytes(UTF_8));
      }
      ByteBuffer sent = MemoryRecords.withRecords(Compression.of(codec).build(), records).buffer();
      long offset = talk().end(topic, 0);
      assertThat(talk().produce(9, Producer.NOBODY, topic, 0, sent.duplicate()))
          .as(codec.name)
          .isEqualTo("@" + offset);
      ByteBuffer read =
          Objects.requireNonNull(talk().fetch(topic, 0, offset, 1).records).toBuffer();
      ByteBuffer wanted = ByteBuffer.allocate(sent.remaining()).put(sent.duplicate()).flip();
      wanted.putLong(0, offset).putInt(LEADER_EPOCH, 0);
      assertThat(read.slice()).as(codec.name).isEqualTo(wanted);
    }
  }

  @Test
  default void committed_reads_end_at_the_open_transaction_and_list_what_was_aborted() {
    Talk.Topic topic = talk().newTopic(1);
    Producer aborter = txn().newProducer();
    txn().add(3, aborter, topic, 0);
    talk().produce(9, aborter, topic, 0, 2);
    txn().end(3, aborter, false);
    Awaitility.await().until(() -> talk().log(topic, 0).size() == 2);
    Producer open = txn().newProducer();
    txn().add(3, open, topic, 0);
    talk().produce(9, open, topic, 0, 1);
    FetchResponse.PartitionData all = talk().fetch(topic, 0, 0, 1);
    assertThat(Talk.batches(all)).containsExactly("data 0-1 e0", "abort 2-2 e0");
    assertThat(all.lastStableOffset).isEqualTo(3);
    assertThat(all.highWatermark).isEqualTo(4);
    assertThat(abortedOf(all)).containsExactly(aborter.id() + " from 0");
    assertThat(abortedOf(talk().fetch(topic, 0, 2, 1))).hasSizeLessThanOrEqualTo(1);
    FetchResponse.PartitionData between = talk().fetch(topic, 0, 3, 1);
    assertThat(between.errorCode).isZero();
    assertThat(Talk.batches(between)).isEmpty();
    assertThat(abortedOf(between)).isEmpty();
    assertThat(talk().fetch(topic, 0, 0, 0).abortedTransactions).isNull();
    assertThat(Talk.name(talk().fetch(topic, 0, 5, 1).errorCode)).isEqualTo("OFFSET_OUT_OF_RANGE");
    assertThat(Talk.name(talk().fetch(topic, 0, -1, 0).errorCode)).isEqualTo("OFFSET_OUT_OF_RANGE");
    assertThat(talk().fetch(topic, 0, 4, 1).errorCode).isZero();
    assertThat(talk().lastStable(topic, 0)).isEqualTo(3);
    txn().end(3, open, false);
  }

  private List<String> abortedOf(FetchResponse.PartitionData data) {
    return Objects.requireNonNull(data.abortedTransactions).stream()
        .map(aborted -> aborted.producerId + " from " + aborted.firstOffset)
        .toList();
  }

  @Test
  default void fetches_of_topics_and_partitions_that_do_not_exist() {
    Talk.Topic topic = talk().newTopic(1);
    Talk.Topic unknown = new Talk.Topic(Talk.fresh("unknown"), new Uuid(5, 6));
    assertThat(fetchError(13, unknown, 0)).isEqualTo("UNKNOWN_TOPIC_ID");
    assertThat(fetchError(17, unknown, 0)).isEqualTo("UNKNOWN_TOPIC_ID");
    assertThat(fetchError(13, new Talk.Topic("", Uuid.ZERO), 0)).isEqualTo("UNKNOWN_TOPIC_ID");
    assertThat(fetchError(12, unknown, 0)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(fetchError(12, topic, 7)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(fetchError(13, topic, 7)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
  }

  private String fetchError(int version, Talk.Topic topic, int partition) {
    return Talk.name(
        talk().fetched(version, Talk.fetchRequest(version, topic, partition, 0)).errorCode);
  }

  @Test
  default void fetches_with_a_leader_epoch_of_the_past_or_the_future() {
    Talk.Topic topic = talk().newTopic(1);
    FetchRequest request = Talk.fetchRequest(13, topic, 0, 0);
    request.topics.get(0).partitions.get(0).currentLeaderEpoch = 9;
    assertThat(Talk.name(talk().fetched(13, request).errorCode)).isEqualTo("UNKNOWN_LEADER_EPOCH");
    request.topics.get(0).partitions.get(0).currentLeaderEpoch = 0;
    assertThat(talk().fetched(13, request).errorCode).isZero();
  }

  @Test
  default void fetch_sessions_are_begun_followed_and_refused() {
    Talk.Topic topic = talk().newTopic(1);
    FetchRequest request = Talk.fetchRequest(13, topic, 0, 0);
    request.sessionEpoch = 0;
    FetchResponse begun = talk().ask(ApiKey.FETCH, 13, request, FetchResponse.class);
    assertThat(begun.errorCode).isZero();
    assertThat(begun.sessionId).isPositive();
    FetchRequest next = new FetchRequest();
    next.maxWaitMs = 10;
    next.sessionId = begun.sessionId;
    next.sessionEpoch = 1;
    FetchResponse quiet = talk().ask(ApiKey.FETCH, 13, next, FetchResponse.class);
    assertThat(quiet.errorCode).isZero();
    assertThat(quiet.sessionId).isEqualTo(begun.sessionId);
    assertThat(quiet.responses).isEmpty();
    next.sessionEpoch = 5;
    assertThat(sessionError(next)).isEqualTo("INVALID_FETCH_SESSION_EPOCH");
    next.sessionId = begun.sessionId + 1;
    next.sessionEpoch = 1;
    assertThat(sessionError(next)).isEqualTo("FETCH_SESSION_ID_NOT_FOUND");
  }

  private String sessionError(FetchRequest request) {
    FetchResponse answer = talk().ask(ApiKey.FETCH, 13, request, FetchResponse.class);
    assertThat(answer.responses).isEmpty();
    return Talk.name(answer.errorCode) + (answer.sessionId == 0 ? "" : " in a session");
  }

  @Test
  default void special_offsets_of_an_empty_log() {
    Talk.Topic topic = talk().newTopic(1);
    String nothing = "NONE offset -1 at -1 in epoch -1";
    assertThat(at(topic, -1)).isEqualTo("NONE offset 0 at -1 in epoch 0");
    assertThat(at(topic, -2)).isEqualTo("NONE offset 0 at -1 in epoch 0");
    assertThat(at(topic, -3)).isEqualTo(nothing);
    assertThat(at(topic, -4)).isEqualTo("NONE offset 0 at -1 in epoch 0");
    assertThat(at(topic, -5)).isEqualTo(nothing);
    assertThat(at(topic, -6)).isEqualTo(nothing);
    assertThat(at(topic, 0)).isEqualTo(nothing);
  }

  @Test
  default void special_offsets_of_a_log_with_records() {
    Talk.Topic topic = talk().newTopic(1);
    write(topic, 2, 1_000);
    write(topic, 2, 3_000);
    write(topic, 2, 2_000);
    assertThat(at(topic, -1)).isEqualTo("NONE offset 6 at -1 in epoch 0");
    assertThat(at(topic, -2)).isEqualTo("NONE offset 0 at -1 in epoch 0");
    assertThat(at(topic, -3)).isEqualTo("NONE offset 2 at 3000 in epoch 0");
    assertThat(at(topic, -4)).isEqualTo("NONE offset 0 at -1 in epoch 0");
    assertThat(at(topic, -5)).isEqualTo("NONE offset -1 at -1 in epoch -1");
    assertThat(at(topic, -6)).isEqualTo("NONE offset -1 at -1 in epoch -1");
    assertThat(at(topic, 1_500)).isEqualTo("NONE offset 2 at 3000 in epoch 0");
    assertThat(at(topic, 9_000)).isEqualTo("NONE offset -1 at -1 in epoch -1");
  }

  private String at(Talk.Topic topic, long timestamp) {
    return talk().offset(topic.name(), 0, timestamp, 0);
  }

  @Test
  default void special_offsets_that_are_unknown_or_came_later() {
    Talk.Topic topic = talk().newTopic(1);
    assertThat(at(topic, -7)).startsWith("UNSUPPORTED_VERSION");
    assertThat(talk().offset(6, topic.name(), 0, -3, 0)).startsWith("UNSUPPORTED_VERSION");
    assertThat(talk().offset(7, topic.name(), 0, -4, 0)).startsWith("UNSUPPORTED_VERSION");
    assertThat(talk().offset(8, topic.name(), 0, -5, 0)).startsWith("UNSUPPORTED_VERSION");
    assertThat(talk().offset(10, topic.name(), 0, -6, 0)).startsWith("UNSUPPORTED_VERSION");
    assertThat(talk().offset(topic.name(), 4, -1, 0)).startsWith("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(talk().offset(Talk.fresh("unknown"), 0, -1, 0))
        .startsWith("UNKNOWN_TOPIC_OR_PARTITION");
  }

  @Test
  default void ends_of_leader_epochs() {
    Talk.Topic topic = talk().newTopic(1);
    write(topic, 3, 1_000);
    assertThat(epochEnd(topic.name(), 0, 0, -1)).isEqualTo("NONE epoch 0 ends at 3");
    assertThat(epochEnd(topic.name(), 0, 5, -1)).isEqualTo("NONE epoch -1 ends at -1");
    assertThat(epochEnd(topic.name(), 0, 0, 0)).isEqualTo("NONE epoch 0 ends at 3");
    assertThat(epochEnd(topic.name(), 0, 0, 4))
        .isEqualTo("UNKNOWN_LEADER_EPOCH epoch -1 ends at -1");
    assertThat(epochEnd(topic.name(), 3, 0, -1))
        .isEqualTo("UNKNOWN_TOPIC_OR_PARTITION epoch -1 ends at -1");
  }

  private String epochEnd(String topic, int partition, int epoch, int currentEpoch) {
    OffsetForLeaderEpochRequest.OffsetForLeaderPartition wish =
        new OffsetForLeaderEpochRequest.OffsetForLeaderPartition();
    wish.partition = partition;
    wish.leaderEpoch = epoch;
    wish.currentLeaderEpoch = currentEpoch;
    OffsetForLeaderEpochRequest.OffsetForLeaderTopic wishes =
        new OffsetForLeaderEpochRequest.OffsetForLeaderTopic();
    wishes.topic = topic;
    wishes.partitions.add(wish);
    OffsetForLeaderEpochRequest request = new OffsetForLeaderEpochRequest();
    request.topics.add(wishes);
    OffsetForLeaderEpochResponse.EpochEndOffset end =
        talk()
            .ask(ApiKey.OFFSET_FOR_LEADER_EPOCH, 4, request, OffsetForLeaderEpochResponse.class)
            .topics
            .get(0)
            .partitions
            .get(0);
    return "%s epoch %d ends at %d"
        .formatted(Talk.name(end.errorCode), end.leaderEpoch, end.endOffset);
  }

  @Test
  default void a_waiting_fetch_is_answered_when_its_time_is_over() {
    Talk.Topic topic = talk().newTopic(1);
    FetchRequest request = Talk.fetchRequest(13, topic, 0, 0);
    request.maxWaitMs = 150;
    request.minBytes = 1;
    long before = System.nanoTime();
    assertThat(talk().fetched(13, request).errorCode).isZero();
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before)).isBetween(140L, 5_000L);
  }
}
