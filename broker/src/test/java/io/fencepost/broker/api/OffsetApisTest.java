package io.fencepost.broker.api;

import static io.fencepost.broker.replica.ReplicaFixture.plain;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.api.PartitionApis.Answer;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DeleteRecordsRequest;
import io.fencepost.broker.wire.message.DeleteRecordsResponse;
import io.fencepost.broker.wire.message.DescribeLogDirsRequest;
import io.fencepost.broker.wire.message.DescribeLogDirsResponse;
import io.fencepost.broker.wire.message.DescribeProducersRequest;
import io.fencepost.broker.wire.message.DescribeProducersResponse;
import io.fencepost.broker.wire.message.ListOffsetsRequest;
import io.fencepost.broker.wire.message.ListOffsetsResponse;
import io.fencepost.broker.wire.message.OffsetForLeaderEpochRequest;
import io.fencepost.broker.wire.message.OffsetForLeaderEpochResponse;
import org.junit.jupiter.api.Test;

class OffsetApisTest {
  private final PartitionApis apis = new PartitionApis(FlushPolicy.OS);

  private ListOffsetsResponse.ListOffsetsPartitionResponse list(
      int version, long timestamp, int isolation) {
    ListOffsetsRequest request = new ListOffsetsRequest();
    request.isolationLevel = (byte) isolation;
    ListOffsetsRequest.ListOffsetsTopic topic = new ListOffsetsRequest.ListOffsetsTopic();
    topic.name = "orders";
    ListOffsetsRequest.ListOffsetsPartition wish = new ListOffsetsRequest.ListOffsetsPartition();
    wish.timestamp = timestamp;
    topic.partitions.add(wish);
    request.topics.add(topic);
    Answer<ListOffsetsResponse> answer = new Answer<>();
    new ListOffsets(() -> apis.state, apis.fixture.replicas)
        .handle(PartitionApis.context(version), request, answer);
    return answer.only().topics.get(0).partitions.get(0);
  }

  private void assertOffset(int version, long timestamp, int isolation, long offset) {
    ListOffsetsResponse.ListOffsetsPartitionResponse found = list(version, timestamp, isolation);
    assertThat(WireError.of(found.errorCode)).isEqualTo(WireError.NONE);
    assertThat(found.offset).as("time %d in version %d", timestamp, version).isEqualTo(offset);
  }

  @Test
  void special_times_find_their_places() {
    apis.fixture.send(plain(5));
    apis.fixture.gate.deleteRecords(2);
    apis.fixture.sendInTransaction(7, 0, 0, 2);
    assertOffset(1, -1, 0, 7);
    assertOffset(4, -1, 1, 5);
    assertOffset(4, -2, 0, 2);
    assertOffset(7, -3, 0, 2);
    assertOffset(8, -4, 0, 2);
    assertOffset(9, -5, 0, -1);
    assertOffset(11, -6, 0, -1);
  }

  @Test
  void a_time_finds_the_first_record_at_or_after_it() {
    apis.fixture.send(plain(5));
    assertOffset(4, SimClock.DEFAULT_START_MS, 0, 0);
    assertOffset(4, 0, 0, 0);
    assertOffset(4, SimClock.DEFAULT_START_MS + 1, 0, -1);
  }

  @Test
  void special_times_of_a_later_version_are_unsupported() {
    long[][] unknown = {{6, -3}, {7, -4}, {8, -5}, {10, -6}, {11, -7}, {11, Long.MIN_VALUE}};
    for (long[] each : unknown) {
      assertThat(list((int) each[0], each[1], 0).errorCode)
          .as("time %d", each[1])
          .isEqualTo(WireError.UNSUPPORTED_VERSION.code());
    }
  }

  @Test
  void the_end_of_the_current_epoch_is_the_log_end() {
    apis.fixture.send(plain(5));
    OffsetForLeaderEpochRequest request = new OffsetForLeaderEpochRequest();
    OffsetForLeaderEpochRequest.OffsetForLeaderTopic topic =
        new OffsetForLeaderEpochRequest.OffsetForLeaderTopic();
    topic.topic = "orders";
    for (int epoch = 0; epoch < 2; epoch++) {
      OffsetForLeaderEpochRequest.OffsetForLeaderPartition wish =
          new OffsetForLeaderEpochRequest.OffsetForLeaderPartition();
      wish.leaderEpoch = epoch;
      topic.partitions.add(wish);
    }
    request.topics.add(topic);
    Answer<OffsetForLeaderEpochResponse> answer = new Answer<>();
    new OffsetForLeaderEpoch(() -> apis.state, apis.fixture.replicas)
        .handle(PartitionApis.context(4), request, answer);
    OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult result = answer.only().topics.get(0);
    assertThat(result.partitions).extracting(each -> each.endOffset).containsExactly(5L, -1L);
    assertThat(result.partitions).extracting(each -> each.leaderEpoch).containsExactly(0, -1);
  }

  @Test
  void records_are_deleted_up_to_an_offset() {
    apis.fixture.send(plain(5));
    DeleteRecordsRequest request = new DeleteRecordsRequest();
    DeleteRecordsRequest.DeleteRecordsTopic topic = new DeleteRecordsRequest.DeleteRecordsTopic();
    topic.name = "orders";
    for (int partition = 0; partition < 3; partition++) {
      DeleteRecordsRequest.DeleteRecordsPartition wish =
          new DeleteRecordsRequest.DeleteRecordsPartition();
      wish.partitionIndex = partition;
      wish.offset = 3;
      topic.partitions.add(wish);
    }
    request.topics.add(topic);
    Answer<DeleteRecordsResponse> answer = new Answer<>();
    new DeleteRecords(() -> apis.state, apis.fixture.replicas)
        .handle(PartitionApis.context(2), request, answer);
    DeleteRecordsResponse.DeleteRecordsTopicResult result = answer.only().topics.get(0);
    assertThat(result.partitions)
        .extracting(each -> WireError.of(each.errorCode))
        .containsExactly(
            WireError.NONE, WireError.NOT_LEADER_OR_FOLLOWER, WireError.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(result.partitions)
        .extracting(each -> each.lowWatermark)
        .containsExactly(3L, -1L, -1L);
  }

  @Test
  void producers_are_described_with_their_open_transactions() {
    apis.fixture.send(plain(5));
    apis.fixture.sendInTransaction(7, 3, 0, 2);
    DescribeProducersRequest request = new DescribeProducersRequest();
    DescribeProducersRequest.TopicRequest topic = new DescribeProducersRequest.TopicRequest();
    topic.name = "orders";
    topic.partitionIndexes.add(0);
    topic.partitionIndexes.add(9);
    request.topics.add(topic);
    Answer<DescribeProducersResponse> answer = new Answer<>();
    new DescribeProducers(() -> apis.state, apis.fixture.replicas)
        .handle(PartitionApis.context(0), request, answer);
    DescribeProducersResponse.TopicResponse result = answer.only().topics.get(0);
    assertThat(result.partitions.get(0).activeProducers).hasSize(1);
    DescribeProducersResponse.ProducerState producer =
        result.partitions.get(0).activeProducers.get(0);
    assertThat(producer.producerId).isEqualTo(7);
    assertThat(producer.producerEpoch).isEqualTo(3);
    assertThat(producer.lastSequence).isEqualTo(1);
    assertThat(producer.currentTxnStartOffset).isEqualTo(5);
    assertThat(producer.coordinatorEpoch).isEqualTo(-1);
    assertThat(WireError.of(result.partitions.get(1).errorCode))
        .isEqualTo(WireError.UNKNOWN_TOPIC_OR_PARTITION);
  }

  @Test
  void the_directory_shows_the_size_of_each_partition() {
    apis.fixture.send(plain(5));
    DescribeLogDirsRequest request = new DescribeLogDirsRequest();
    request.topics = null;
    Answer<DescribeLogDirsResponse> answer = new Answer<>();
    new DescribeLogDirs(apis.fixture.replicas, apis.fixture.disk)
        .handle(PartitionApis.context(4), request, answer);
    DescribeLogDirsResponse.DescribeLogDirsResult result = answer.only().results.get(0);
    assertThat(result.topics).hasSize(1);
    assertThat(result.topics.get(0).partitions.get(0).partitionSize)
        .isEqualTo(plain(5).remaining());
  }
}
