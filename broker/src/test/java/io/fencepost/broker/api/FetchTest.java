package io.fencepost.broker.api;

import static io.fencepost.broker.api.PartitionApis.dataOf;
import static io.fencepost.broker.api.PartitionApis.fetchRequest;
import static io.fencepost.broker.replica.ReplicaFixture.plain;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.api.PartitionApis.Answer;
import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FetchResponse;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FetchTest {
  private static final int NEWEST = 18;

  private final PartitionApis apis = new PartitionApis(FlushPolicy.OS);

  private static int sizeOf(Answer<FetchResponse> answer) {
    return dataOf(answer).records.sizeBytes();
  }

  private Answer<FetchResponse> inSession(int id, int epoch, long offset) {
    FetchRequest request = fetchRequest(NEWEST, offset);
    request.sessionId = id;
    request.sessionEpoch = epoch;
    return apis.fetch(NEWEST, request);
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 6, 7, 11, 12, 13, 18})
  void stored_batches_come_back_as_they_are(int version) {
    ByteBuffer batch = plain(3);
    apis.fixture.send(batch.duplicate());
    FetchResponse.PartitionData data = dataOf(apis.fetch(version, fetchRequest(version, 1)));
    assertThat(data.errorCode).isZero();
    assertThat(data.highWatermark).isEqualTo(3);
    assertThat(data.lastStableOffset).isEqualTo(3);
    assertThat(data.abortedTransactions).isNull();
    ByteBuffer bytes = data.records.toBuffer();
    assertThat(new BatchView().wrap(bytes, bytes.position()).nextOffset()).isEqualTo(3);
  }

  @Test
  void a_fetch_waits_for_data_and_is_answered_by_the_append() {
    Answer<FetchResponse> waiting = apis.fetch(NEWEST, fetchRequest(NEWEST, 0));
    apis.fixture.scheduler.runFor(400);
    assertThat(waiting.isOpen()).isTrue();
    apis.fixture.send(plain(1));
    assertThat(sizeOf(waiting)).isPositive();
    apis.fixture.scheduler.runFor(1000);
    assertThat(waiting.sent).as("answered once").hasSize(1);
  }

  @Test
  void a_fetch_whose_reader_has_left_waits_for_nothing_more() {
    Answer<FetchResponse> waiting = apis.fetch(NEWEST, fetchRequest(NEWEST, 0));
    assertThat(apis.fixture.gate.counts().waitingReaders()).isOne();
    waiting.whenAbandoned.run();
    assertThat(apis.fixture.gate.counts().waitingReaders()).isZero();
    apis.fixture.send(plain(1));
    apis.fixture.scheduler.runFor(1000);
    assertThat(waiting.isOpen()).isTrue();
  }

  private static void addUnknownPartitions(FetchRequest request, int from, int count) {
    FetchRequest.FetchTopic topic = request.topics.get(0);
    for (int partition = from; partition < from + count; partition++) {
      FetchRequest.FetchPartition wish = new FetchRequest.FetchPartition();
      wish.partition = partition;
      topic.partitions.add(wish);
    }
  }

  @Test
  void sessions_remember_no_more_partitions_than_all_of_them_may() {
    int half = FetchSessions.MAX_WEIGHT / 2;
    FetchRequest large = fetchRequest(NEWEST, 0);
    large.sessionEpoch = 0;
    addUnknownPartitions(large, 10, half);
    int session = apis.fetch(NEWEST, large).only().sessionId;
    assertThat(session).isPositive();
    assertThat(apis.fetch(NEWEST, large).only().sessionId).as("no room for a second").isZero();
    assertThat(inSession(session, 1, 0).sent).as("the first goes on").isNotNull();
    FetchRequest more = fetchRequest(NEWEST, 0);
    more.sessionId = session;
    more.sessionEpoch = 2;
    addUnknownPartitions(more, 10 + half, half);
    assertThat(apis.fetch(NEWEST, more).only().errorCode)
        .isEqualTo(WireError.FETCH_SESSION_ID_NOT_FOUND.code());
    assertThat(apis.fetch(NEWEST, large).only().sessionId).as("there is room").isPositive();
  }

  @Test
  void a_fetch_ends_empty_when_its_time_is_over() {
    Answer<FetchResponse> waiting = apis.fetch(NEWEST, fetchRequest(NEWEST, 0));
    apis.fixture.scheduler.runFor(499);
    assertThat(waiting.isOpen()).isTrue();
    apis.fixture.scheduler.runFor(1);
    assertThat(sizeOf(waiting)).isZero();
  }

  @Test
  void a_fetch_waits_until_min_bytes_are_there() {
    FetchRequest request = fetchRequest(NEWEST, 0);
    request.minBytes = plain(1).remaining() + 1;
    Answer<FetchResponse> waiting = apis.fetch(NEWEST, request);
    apis.fixture.send(plain(1));
    assertThat(waiting.isOpen()).isTrue();
    apis.fixture.send(plain(1));
    assertThat(sizeOf(waiting)).isEqualTo(2 * plain(1).remaining());
  }

  @Test
  void v6_a_committed_reader_waits_for_the_marker() {
    apis.fixture.sendInTransaction(7, 0, 0, 2);
    FetchRequest request = fetchRequest(NEWEST, 0);
    request.isolationLevel = 1;
    Answer<FetchResponse> waiting = apis.fetch(NEWEST, request);
    apis.fixture.sendInTransaction(7, 0, 2, 2);
    assertThat(waiting.isOpen()).isTrue();
    apis.fixture.mark(7, 1, false);
    assertThat(sizeOf(waiting)).isPositive();
    assertThat(dataOf(waiting).abortedTransactions).hasSize(1);
    assertThat(dataOf(waiting).abortedTransactions.get(0).producerId).isEqualTo(7);
    assertThat(sizeOf(apis.fetch(4, fetchRequest(4, 0)))).as("V8").isPositive();
  }

  @Test
  void the_first_batch_is_returned_whole_whatever_the_limits() {
    apis.fixture.send(plain(3));
    apis.fixture.send(plain(3));
    FetchRequest request = fetchRequest(NEWEST, 0);
    request.maxBytes = 1;
    request.topics.get(0).partitions.get(0).partitionMaxBytes = 1;
    assertThat(sizeOf(apis.fetch(NEWEST, request))).isEqualTo(plain(3).remaining());
  }

  @Test
  void errors_are_answered_at_once() {
    assertThat(dataOf(apis.fetch(NEWEST, fetchRequest(NEWEST, 1))).errorCode)
        .isEqualTo(WireError.OFFSET_OUT_OF_RANGE.code());
    FetchRequest fenced = fetchRequest(NEWEST, 0);
    fenced.topics.get(0).partitions.get(0).currentLeaderEpoch = 3;
    assertThat(dataOf(apis.fetch(NEWEST, fenced)).errorCode)
        .isEqualTo(WireError.UNKNOWN_LEADER_EPOCH.code());
    FetchRequest unknown = fetchRequest(NEWEST, 0);
    unknown.topics.get(0).topicId = PartitionApis.UNKNOWN_ID;
    assertThat(dataOf(apis.fetch(NEWEST, unknown)).errorCode)
        .isEqualTo(WireError.UNKNOWN_TOPIC_ID.code());
    FetchRequest elsewhere = fetchRequest(12, 0);
    elsewhere.topics.get(0).partitions.get(0).partition = 1;
    assertThat(dataOf(apis.fetch(12, elsewhere)).errorCode)
        .isEqualTo(WireError.NOT_LEADER_OR_FOLLOWER.code());
  }

  @Test
  void a_deleted_topic_wakes_its_readers() {
    Answer<FetchResponse> waiting = apis.fetch(12, fetchRequest(12, 0));
    apis.fixture.replicas.delete(io.fencepost.broker.replica.ReplicaFixture.ORDERS).run();
    assertThat(WireError.of(dataOf(waiting).errorCode)).isEqualTo(WireError.NOT_LEADER_OR_FOLLOWER);
  }

  @Test
  void an_incremental_fetch_tells_only_what_is_news() {
    apis.fixture.send(plain(1));
    FetchResponse first = inSession(0, 0, 0).only();
    assertThat(first.sessionId).isPositive();
    FetchRequest next = fetchRequest(NEWEST, 1);
    next.sessionId = first.sessionId;
    next.sessionEpoch = 1;
    Answer<FetchResponse> quiet = apis.fetch(NEWEST, next);
    apis.fixture.scheduler.runFor(500);
    assertThat(quiet.only().responses).isEmpty();
    FetchRequest unchanged = new FetchRequest();
    unchanged.maxWaitMs = 500;
    unchanged.minBytes = 1;
    unchanged.sessionId = first.sessionId;
    unchanged.sessionEpoch = 2;
    Answer<FetchResponse> remembered = apis.fetch(NEWEST, unchanged);
    apis.fixture.send(plain(1));
    assertThat(sizeOf(remembered)).as("the session remembers offset 1").isPositive();
  }

  @Test
  void a_session_is_guarded_by_its_epoch_and_can_be_closed() {
    apis.fixture.send(plain(1));
    int id = inSession(0, 0, 0).only().sessionId;
    assertThat(inSession(id, 5, 0).only().errorCode)
        .isEqualTo(WireError.INVALID_FETCH_SESSION_EPOCH.code());
    assertThat(inSession(id + 1, 1, 0).only().errorCode)
        .isEqualTo(WireError.FETCH_SESSION_ID_NOT_FOUND.code());
    FetchRequest byName = fetchRequest(12, 0);
    byName.sessionId = id;
    byName.sessionEpoch = 1;
    assertThat(apis.fetch(12, byName).only().errorCode)
        .isEqualTo(WireError.FETCH_SESSION_TOPIC_ID_ERROR.code());
    assertThat(inSession(id, 1, 0).only().errorCode).isZero();
    assertThat(inSession(id, -1, 0).only().sessionId).isZero();
    assertThat(inSession(id, 2, 0).only().errorCode)
        .isEqualTo(WireError.FETCH_SESSION_ID_NOT_FOUND.code());
  }
}
