package io.fencepost.testkit.answers;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.message.AddOffsetsToTxnRequest;
import io.fencepost.broker.wire.message.AddOffsetsToTxnResponse;
import io.fencepost.broker.wire.message.AddPartitionsToTxnRequest;
import io.fencepost.broker.wire.message.AddPartitionsToTxnResponse;
import io.fencepost.broker.wire.message.EndTxnRequest;
import io.fencepost.broker.wire.message.EndTxnResponse;
import io.fencepost.broker.wire.message.FindCoordinatorRequest;
import io.fencepost.broker.wire.message.FindCoordinatorResponse;
import io.fencepost.broker.wire.message.InitProducerIdRequest;
import io.fencepost.broker.wire.message.InitProducerIdResponse;
import io.fencepost.broker.wire.message.OffsetCommitRequest;
import io.fencepost.broker.wire.message.OffsetCommitResponse;
import io.fencepost.broker.wire.message.OffsetFetchRequest;
import io.fencepost.broker.wire.message.OffsetFetchResponse;
import io.fencepost.broker.wire.message.TxnOffsetCommitRequest;
import io.fencepost.broker.wire.message.TxnOffsetCommitResponse;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** What transactional producers say, over a {@link Talk}. Ends and inits may be patient. */
final class TxnTalk {
  private static final Set<String> SOON =
      Set.of(
          "CONCURRENT_TRANSACTIONS",
          "COORDINATOR_LOAD_IN_PROGRESS",
          "COORDINATOR_NOT_AVAILABLE",
          "NOT_COORDINATOR");

  private final Talk talk;

  TxnTalk(Talk talk) {
    this.talk = talk;
  }

  /** Asks again as long as the answer is that of a coordinator that is busy. */
  static String patiently(Supplier<String> question) {
    return until(question, answer -> !SOON.contains(answer));
  }

  static String until(Supplier<String> question, Predicate<String> wanted) {
    AtomicReference<String> last = new AtomicReference<>("");
    Awaitility.await()
        .pollInterval(10, TimeUnit.MILLISECONDS)
        .until(
            () -> {
              last.set(question.get());
              return wanted.test(last.get());
            });
    return last.get();
  }

  /** Has the internal topics made and waits until their coordinators answer. */
  void wakeCoordinators() {
    for (byte keyType = 0; keyType < 2; keyType++) {
      FindCoordinatorRequest request = new FindCoordinatorRequest();
      request.key = "any";
      request.keyType = keyType;
      until(
          () ->
              Talk.name(
                  talk.ask(ApiKey.FIND_COORDINATOR, 3, request, FindCoordinatorResponse.class)
                      .errorCode),
          "NONE"::equals);
    }
    for (int i = 0; i < 8; i++) {
      Producer producer = newProducer();
      addOffsets(3, producer, "wake-" + i);
      end(3, producer, false);
      String group = "wake-" + i;
      patiently(() -> commitOffset(group, new Talk.Topic("none", Uuid.ZERO), 0, ""));
    }
  }

  /** A producer in its first epoch with a transactional id that nobody else has. */
  Producer newProducer() {
    return init(Talk.fresh("x"));
  }

  /** A plain idempotent producer. */
  Producer newIdempotent() {
    InitProducerIdResponse answer = initAnswer(4, null, 60_000, -1, -1);
    return new Producer(null, answer.producerId, answer.producerEpoch);
  }

  /** As a newcomer with this id. */
  Producer init(String transactionalId) {
    return init(transactionalId, 60_000);
  }

  Producer init(String transactionalId, int timeoutMs) {
    String[] words =
        patiently(() -> initText(4, new Producer(transactionalId, -1, -1), timeoutMs)).split(" ");
    return new Producer(transactionalId, Long.parseLong(words[0]), Integer.parseInt(words[1]));
  }

  InitProducerIdResponse initAnswer(
      int version, @Nullable String transactionalId, int timeoutMs, long id, int epoch) {
    InitProducerIdRequest request = new InitProducerIdRequest();
    request.transactionalId = transactionalId;
    request.transactionTimeoutMs = timeoutMs;
    request.producerId = id;
    request.producerEpoch = (short) epoch;
    return talk.ask(ApiKey.INIT_PRODUCER_ID, version, request, InitProducerIdResponse.class);
  }

  /** The error, or producer id and epoch. */
  String initText(int version, Producer claimed, int timeoutMs) {
    InitProducerIdResponse answer =
        initAnswer(version, claimed.transactionalId(), timeoutMs, claimed.id(), claimed.epoch());
    return answer.errorCode == 0
        ? answer.producerId + " " + answer.producerEpoch
        : Talk.name(answer.errorCode);
  }

  /** How InitProducerId goes on from this claim: the error, or the epoch's distance to it. */
  String reinit(int version, Producer claimed) {
    String answer = patiently(() -> initText(version, claimed, 60_000));
    String[] words = answer.split(" ");
    return words.length == 1
        ? answer
        : (Long.parseLong(words[0]) == claimed.id() ? "same id" : "new id") + " epoch " + words[1];
  }

  String add(int version, Producer producer, Talk.Topic topic, int... partitions) {
    return patiently(() -> addOnce(version, producer, topic.name(), partitions));
  }

  String addOnce(int version, Producer producer, String topic, int... partitions) {
    AddPartitionsToTxnRequest.AddPartitionsToTxnTopic named =
        new AddPartitionsToTxnRequest.AddPartitionsToTxnTopic();
    named.name = topic;
    for (int partition : partitions) {
      named.partitions.add(partition);
    }
    AddPartitionsToTxnRequest request = new AddPartitionsToTxnRequest();
    request.v3AndBelowTransactionalId = Talks.text(producer.transactionalId());
    request.v3AndBelowProducerId = producer.id();
    request.v3AndBelowProducerEpoch = (short) producer.epoch();
    request.v3AndBelowTopics.add(named);
    AddPartitionsToTxnResponse answer =
        talk.ask(ApiKey.ADD_PARTITIONS_TO_TXN, version, request, AddPartitionsToTxnResponse.class);
    return Talk.name(
        answer.resultsByTopicV3AndBelow.get(0).resultsByPartition.get(0).partitionErrorCode);
  }

  String addOffsets(int version, Producer producer, String group) {
    return patiently(
        () -> {
          AddOffsetsToTxnRequest request = new AddOffsetsToTxnRequest();
          request.transactionalId = Talks.text(producer.transactionalId());
          request.producerId = producer.id();
          request.producerEpoch = (short) producer.epoch();
          request.groupId = group;
          return Talk.name(
              talk.ask(ApiKey.ADD_OFFSETS_TO_TXN, version, request, AddOffsetsToTxnResponse.class)
                  .errorCode);
        });
  }

  /** Stages an offset of partition 0 once. */
  String stage(int version, Producer producer, String group, Talk.Topic topic, long offset) {
    return stage(version, producer, group, topic, 0, offset, "");
  }

  String stage(
      int version,
      Producer producer,
      String group,
      Talk.Topic topic,
      int partition,
      long offset,
      String metadata) {
    TxnOffsetCommitRequest request = staging(producer, group, topic, offset);
    request.topics.get(0).partitions.get(0).partitionIndex = partition;
    request.topics.get(0).partitions.get(0).committedMetadata = metadata;
    return stage(version, request);
  }

  /** A request that stages an offset of partition 0 and names no member. */
  static TxnOffsetCommitRequest staging(
      Producer producer, String group, Talk.Topic topic, long offset) {
    TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition staged =
        new TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition();
    staged.committedOffset = offset;
    TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic named =
        new TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic();
    named.name = topic.name();
    named.partitions.add(staged);
    TxnOffsetCommitRequest request = new TxnOffsetCommitRequest();
    request.transactionalId = Talks.text(producer.transactionalId());
    request.producerId = producer.id();
    request.producerEpoch = (short) producer.epoch();
    request.groupId = group;
    request.topics.add(named);
    return request;
  }

  String stage(int version, TxnOffsetCommitRequest request) {
    return Talk.name(
        talk.ask(ApiKey.TXN_OFFSET_COMMIT, version, request, TxnOffsetCommitResponse.class)
            .topics
            .get(0)
            .partitions
            .get(0)
            .errorCode);
  }

  /** A plain commit of partition 0. */
  String commitOffset(String group, Talk.Topic topic, long offset, String metadata) {
    OffsetCommitRequest.OffsetCommitRequestPartition committed =
        new OffsetCommitRequest.OffsetCommitRequestPartition();
    committed.committedOffset = offset;
    committed.committedMetadata = metadata;
    OffsetCommitRequest.OffsetCommitRequestTopic named =
        new OffsetCommitRequest.OffsetCommitRequestTopic();
    named.name = topic.name();
    named.partitions.add(committed);
    OffsetCommitRequest request = new OffsetCommitRequest();
    request.groupId = group;
    request.topics.add(named);
    return Talk.name(
        talk.ask(ApiKey.OFFSET_COMMIT, 8, request, OffsetCommitResponse.class)
            .topics
            .get(0)
            .partitions
            .get(0)
            .errorCode);
  }

  /** The error or the committed offset of a partition. */
  String committed(String group, Talk.Topic topic, int partition, boolean stable) {
    OffsetFetchRequest.OffsetFetchRequestTopic named =
        new OffsetFetchRequest.OffsetFetchRequestTopic();
    named.name = topic.name();
    named.partitionIndexes.add(partition);
    OffsetFetchRequest request = new OffsetFetchRequest();
    request.groupId = group;
    request.topics = Talks.listOf(named);
    request.requireStable = stable;
    OffsetFetchResponse.OffsetFetchResponsePartition found =
        talk.ask(ApiKey.OFFSET_FETCH, 7, request, OffsetFetchResponse.class)
            .topics
            .get(0)
            .partitions
            .get(0);
    return found.errorCode == 0 ? "" + found.committedOffset : Talk.name(found.errorCode);
  }

  /** Ends the transaction, asking again while the coordinator is busy. */
  String end(int version, Producer producer, boolean commit) {
    return patiently(() -> endOnce(version, producer, commit));
  }

  /** The error, or NONE, from version 5 on followed by how the identity changed. */
  String endOnce(int version, Producer producer, boolean commit) {
    EndTxnRequest request = new EndTxnRequest();
    request.transactionalId = Talks.text(producer.transactionalId());
    request.producerId = producer.id();
    request.producerEpoch = (short) producer.epoch();
    request.committed = commit;
    EndTxnResponse answer = talk.ask(ApiKey.END_TXN, version, request, EndTxnResponse.class);
    if (answer.errorCode != 0 || version < 5) {
      return Talk.name(answer.errorCode);
    }
    return (answer.producerId == producer.id() ? "same id" : "new id")
        + " epoch "
        + answer.producerEpoch;
  }
}
