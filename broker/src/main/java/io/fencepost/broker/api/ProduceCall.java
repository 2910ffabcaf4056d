package io.fencepost.broker.api;

import io.fencepost.broker.batch.BatchCheck;
import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.Compression;
import io.fencepost.broker.cluster.BrokerNode;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.producer.ProducedBatch;
import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.replica.AppendRequest;
import io.fencepost.broker.replica.AppendResult;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.ProduceRequest.PartitionProduceData;
import io.fencepost.broker.wire.message.ProduceRequest.TopicProduceData;
import io.fencepost.broker.wire.message.ProduceResponse;
import io.fencepost.broker.wire.message.ProduceResponse.BatchIndexAndErrorMessage;
import io.fencepost.broker.wire.message.ProduceResponse.PartitionProduceResponse;
import io.fencepost.broker.wire.message.ProduceResponse.TopicProduceResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One produce request on its way: looks at each batch, asks the coordinator, appends, answers. */
final class ProduceCall {
  private static final int FIRST_WITH_ZSTD = 7;
  private static final int FIRST_WITH_LEADER_HINT = 10;
  private static final int FIRST_WITH_ABORTABLE = 11;
  private static final int FIRST_WITH_IMPLICIT_ADD = 12;
  private static final int FIRST_WITH_TOPIC_IDS = 13;

  /** One partition of the request that has a gate, and where its answer goes. */
  private record Part(
      PartitionGate gate,
      @Nullable ByteBuffer records,
      PartitionProduceResponse answer,
      @Nullable ProducedBatch transactional) {}

  /** A part whose transaction is not open in its partition yet. */
  private record Guarded(Part part, TxnGuard guard) {}

  private final PartitionLookup lookup;
  private final @Nullable TransactionGate transactions;
  private final int version;
  private final ProduceRequest request;
  private final Reply<ProduceResponse> reply;
  private final ProduceResponse response = new ProduceResponse();
  private final List<Part> parts = new ArrayList<>(1);
  private final BatchView view = new BatchView();
  private Countdown countdown = new Countdown(0);

  /** A batch claims to be transactional, and the request does not say whose. */
  private boolean isUnauthorized;

  ProduceCall(
      PartitionLookup lookup,
      @Nullable TransactionGate transactions,
      int version,
      ProduceRequest request,
      Reply<ProduceResponse> reply) {
    this.lookup = lookup;
    this.transactions = transactions;
    this.version = version;
    this.request = request;
    this.reply = reply;
  }

  void start() {
    for (TopicProduceData topic : request.topicData) {
      addTopic(topic);
    }
    WireError refusal = refusalOfAll();
    if (refusal != WireError.NONE || parts.isEmpty()) {
      parts.forEach(part -> fail(part.answer(), refusal, null));
      finish();
      return;
    }
    countdown = new Countdown(parts.size());
    List<Guarded> guarded = new ArrayList<>(0);
    for (Part part : parts) {
      ProducedBatch batch = part.transactional();
      TxnGuard guard =
          batch == null ? null : part.gate().guardFor(batch, version >= FIRST_WITH_IMPLICIT_ADD);
      if (guard == null) {
        append(part, null);
      } else {
        guarded.add(new Guarded(part, guard));
      }
    }
    if (!guarded.isEmpty()) {
      admit(guarded);
    }
  }

  private void addTopic(TopicProduceData topic) {
    boolean byId = version >= FIRST_WITH_TOPIC_IDS;
    String name = byId ? lookup.nameOf(topic.topicId) : topic.name;
    TopicProduceResponse topicAnswer = new TopicProduceResponse();
    topicAnswer.name = topic.name;
    topicAnswer.topicId = topic.topicId;
    response.responses.add(topicAnswer);
    for (PartitionProduceData data : topic.partitionData) {
      PartitionProduceResponse answer = new PartitionProduceResponse();
      answer.index = data.index;
      topicAnswer.partitionResponses.add(answer);
      if (name == null) {
        fail(answer, WireError.UNKNOWN_TOPIC_ID, null);
        continue;
      }
      if (TopicNames.isInternal(name)) {
        fail(
            answer,
            WireError.INVALID_TOPIC_EXCEPTION,
            name + " is internal: only coordinators write to it");
        continue;
      }
      PartitionGate gate = lookup.find(name, data.index);
      if (gate == null) {
        fail(answer, lookup.whyMissing(name, data.index), null);
      } else {
        addPart(gate, data.records, answer);
      }
    }
  }

  private void addPart(PartitionGate gate, @Nullable Bytes bytes, PartitionProduceResponse answer) {
    ByteBuffer records = bytes == null ? null : bytes.toBuffer();
    ProducedBatch transactional = null;
    // What has no intact header is refused by the partition, which says why.
    if (records != null
        && BatchCheck.checkHeader(records, records.position()) == BatchCheck.Verdict.GOOD) {
      view.wrap(records, records.position());
      if (version < FIRST_WITH_ZSTD && view.compression() == Compression.ZSTD) {
        fail(answer, WireError.UNSUPPORTED_COMPRESSION_TYPE, "zstd needs Produce version 7");
        return;
      }
      isUnauthorized |= view.isTransactional() && request.transactionalId == null;
      if (view.isTransactional() && view.hasProducerId()) {
        transactional =
            new ProducedBatch(
                view.producerId(),
                view.producerEpoch(),
                view.baseSequence(),
                view.lastSequence(),
                true);
      }
    }
    parts.add(new Part(gate, records, answer, transactional));
  }

  private WireError refusalOfAll() {
    if (request.acks < AppendRequest.ACKS_ALL || request.acks > 1) {
      return WireError.INVALID_REQUIRED_ACKS;
    }
    if (isUnauthorized) {
      return WireError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
    }
    ProducedBatch first = null;
    for (Part part : parts) {
      ProducedBatch batch = part.transactional();
      if (batch == null) {
        continue;
      }
      if (transactions == null) {
        return WireError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
      }
      if (first != null && first.producerId() != batch.producerId()) {
        return WireError.INVALID_PRODUCER_ID_MAPPING;
      }
      first = first == null ? batch : first;
    }
    return WireError.NONE;
  }

  private void append(Part part, @Nullable TxnGuard guard) {
    AppendRequest append =
        new AppendRequest(part.records(), request.acks, request.timeoutMs, guard);
    part.gate().append(append, result -> onAppended(part, guard, result)).run();
  }

  private void admit(List<Guarded> guarded) {
    List<TopicPartition> partitions = new ArrayList<>(guarded.size());
    guarded.forEach(each -> partitions.add(each.part().gate().topicPartition()));
    TxnGuard first = guarded.get(0).guard();
    TransactionGate.AdmitRequest admission =
        new TransactionGate.AdmitRequest(
            Objects.requireNonNull(request.transactionalId),
            first.producerId(),
            first.epoch(),
            partitions,
            version >= FIRST_WITH_IMPLICIT_ADD);
    Objects.requireNonNull(transactions).admit(admission, answers -> onAdmitted(guarded, answers));
  }

  private void onAdmitted(List<Guarded> guarded, SortedMap<TopicPartition, WireError> answers) {
    for (Guarded each : guarded) {
      TopicPartition partition = each.part().gate().topicPartition();
      WireError error = answers.getOrDefault(partition, WireError.UNKNOWN_SERVER_ERROR);
      if (error == WireError.NONE) {
        append(each.part(), each.guard());
      } else {
        onRefused(each, error);
      }
    }
  }

  private void onRefused(Guarded each, WireError error) {
    if (TransactionGate.isFinal(error)) {
      each.part().gate().dropGuard(each.guard());
    }
    fail(
        each.part().answer(),
        translate(error),
        "the transaction of producer "
            + each.guard().producerId()
            + " in epoch "
            + each.guard().epoch()
            + " does not let it write to "
            + each.part().gate().topicPartition()
            + ": "
            + error.sentence());
    arrived();
  }

  /** From the coordinator's answer to one that a producer of this version knows how to take. */
  private WireError translate(WireError error) {
    return switch (error) {
      case INVALID_TXN_STATE, TRANSACTION_ABORTABLE ->
          version < FIRST_WITH_ABORTABLE
              ? WireError.INVALID_TXN_STATE
              : WireError.TRANSACTION_ABORTABLE;
      case PRODUCER_FENCED -> WireError.INVALID_PRODUCER_EPOCH;
      case CONCURRENT_TRANSACTIONS ->
          version < FIRST_WITH_IMPLICIT_ADD ? WireError.NOT_ENOUGH_REPLICAS : error;
      case COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR ->
          WireError.NOT_ENOUGH_REPLICAS;
      default -> error;
    };
  }

  private void onAppended(Part part, @Nullable TxnGuard guard, AppendResult result) {
    ProducedBatch batch = part.transactional();
    if (result.error() == WireError.INVALID_TXN_STATE && guard == null && batch != null) {
      // Its transaction was open here a moment ago: a disk that failed may have taken that back.
      TxnGuard fresh = part.gate().guardFor(batch, version >= FIRST_WITH_IMPLICIT_ADD);
      if (fresh != null) {
        admit(List.of(new Guarded(part, fresh)));
        return;
      }
    }
    if (isOfProducer(result.error()) && transactions != null) {
      transactions.refused("Refused a batch with " + result.error() + ": " + result.message());
    }
    PartitionProduceResponse answer = part.answer();
    answer.errorCode = result.error().code();
    answer.baseOffset = result.baseOffset();
    answer.logAppendTimeMs = result.logAppendTimeMs();
    answer.logStartOffset = result.logStartOffset();
    answer.errorMessage = result.message();
    for (AppendResult.RecordFault fault : result.faults()) {
      BatchIndexAndErrorMessage named = new BatchIndexAndErrorMessage();
      named.batchIndex = fault.index();
      named.batchIndexErrorMessage = fault.message();
      answer.recordErrors.add(named);
    }
    arrived();
  }

  /** Whether the error is about who sent a batch, and when. */
  private static boolean isOfProducer(WireError error) {
    return error == WireError.INVALID_TXN_STATE
        || error == WireError.OUT_OF_ORDER_SEQUENCE_NUMBER
        || error == WireError.INVALID_PRODUCER_EPOCH;
  }

  private static void fail(
      PartitionProduceResponse answer, WireError error, @Nullable String message) {
    answer.errorCode = error.code();
    answer.baseOffset = -1;
    answer.errorMessage = message;
  }

  private void arrived() {
    if (countdown.arrive()) {
      finish();
    }
  }

  private void finish() {
    if (request.acks != 0) {
      if (version >= FIRST_WITH_LEADER_HINT) {
        hintLeaders();
      }
      reply.send(response);
      return;
    }
    for (TopicProduceResponse topic : response.responses) {
      for (PartitionProduceResponse answer : topic.partitionResponses) {
        if (answer.errorCode != WireError.NONE.code()) {
          reply.close(
              "produce with acks=0 to "
                  + (topic.name.isEmpty() ? topic.topicId : topic.name)
                  + "-"
                  + answer.index
                  + " failed: "
                  + WireError.of(answer.errorCode)
                  + (answer.errorMessage == null ? "" : ", " + answer.errorMessage));
          return;
        }
      }
    }
    reply.sendNothing();
  }

  /** Who asked a broker that does not lead is told at once who does (KIP-951). */
  private void hintLeaders() {
    TreeSet<Integer> leaders = new TreeSet<>();
    for (TopicProduceResponse topic : response.responses) {
      for (PartitionProduceResponse answer : topic.partitionResponses) {
        if (answer.errorCode == WireError.NOT_LEADER_OR_FOLLOWER.code()) {
          String name = version >= FIRST_WITH_TOPIC_IDS ? lookup.nameOf(topic.topicId) : topic.name;
          PartitionState state = name == null ? null : lookup.stateOf(name, answer.index);
          if (state != null) {
            answer.currentLeader.leaderId = state.leader();
            answer.currentLeader.leaderEpoch = state.leaderEpoch();
            leaders.add(state.leader());
          }
        }
      }
    }
    for (int leader : leaders) {
      BrokerNode node = lookup.broker(leader);
      if (node != null) {
        ProduceResponse.NodeEndpoint endpoint = new ProduceResponse.NodeEndpoint();
        endpoint.nodeId = node.id();
        endpoint.host = node.host();
        endpoint.port = node.port();
        endpoint.rack = node.rack();
        response.nodeEndpoints.add(endpoint);
      }
    }
  }
}
