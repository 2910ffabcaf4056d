package io.fencepost.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.check.Finding;
import io.fencepost.broker.core.DirectoryCheck;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.port.sim.SimTransport;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.AddPartitionsToTxnResponse;
import io.fencepost.broker.wire.message.CreateTopicsResponse;
import io.fencepost.broker.wire.message.EndTxnResponse;
import io.fencepost.broker.wire.message.FindCoordinatorResponse;
import io.fencepost.broker.wire.message.InitProducerIdRequest;
import io.fencepost.broker.wire.message.InitProducerIdResponse;
import io.fencepost.broker.wire.message.ListTransactionsRequest;
import io.fencepost.broker.wire.message.ListTransactionsResponse;
import io.fencepost.broker.wire.message.ProduceResponse;
import io.fencepost.broker.wire.message.WriteTxnMarkersRequest;
import io.fencepost.broker.wire.message.WriteTxnMarkersResponse;
import io.fencepost.testkit.sim.Requests.Identity;
import io.fencepost.txn.check.CoordinatorCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A whole broker on virtual time, asked one request after the other by a test's hand. */
final class SimTalk {
  static final String ID = "payments-1";
  static final TopicPartition DATA = new TopicPartition("data", 0);

  final SimClock clock = new SimClock();
  final SimEntropy entropy = new SimEntropy(7);
  final SimScheduler scheduler = new SimScheduler(clock, entropy);
  final List<String> notices = new ArrayList<>();
  final SimBroker broker;
  private final SimTransport transport = new SimTransport(scheduler, entropy);
  private SimClient client = new SimClient("test", transport, scheduler);

  /**
   * @param lagMs how long the broker's own tasks, forces among them, may have to wait
   */
  SimTalk(int lagMs, Map<String, String> settings) {
    broker =
        new SimBroker(
            new SimBroker.Ports(clock, scheduler, transport, lagMs),
            entropy,
            settings,
            notices::add);
    broker.start();
    CreateTopicsResponse made =
        ask(
            ApiKey.CREATE_TOPICS,
            5,
            Requests.createTopic(DATA.topic(), 2),
            CreateTopicsResponse.class);
    assertThat(made.topics.get(0).errorCode).isZero();
    WireError found = WireError.COORDINATOR_NOT_AVAILABLE;
    for (int tries = 0; tries < 50 && found != WireError.NONE; tries++) {
      found =
          WireError.of(
              ask(
                      ApiKey.FIND_COORDINATOR,
                      3,
                      Requests.findCoordinator(ID, Requests.TRANSACTION),
                      FindCoordinatorResponse.class)
                  .errorCode);
    }
    assertThat(found).isEqualTo(WireError.NONE);
  }

  /** Lets time pass until the answer is there, and no longer. */
  <R extends WireMessage> R ask(ApiKey api, int version, WireMessage request, Class<R> type) {
    List<WireMessage> answers = new ArrayList<>();
    List<String> lost = new ArrayList<>();
    client.call(
        api,
        version,
        request,
        answer -> {
          if (answer == null) {
            lost.add("no answer to " + request);
          } else {
            answers.add(answer);
          }
        });
    for (int steps = 0; answers.isEmpty() && lost.isEmpty() && steps < 100_000; steps++) {
      assertThat(scheduler.step()).as("something goes on").isTrue();
    }
    assertThat(lost).isEmpty();
    return type.cast(answers.get(0));
  }

  /** The process dies, with or without what was not forced, and starts again. */
  void restart(boolean power) {
    broker.die(power);
    broker.start();
    client = new SimClient("again", transport, scheduler);
  }

  Identity init(int timeoutMs) {
    InitProducerIdResponse answer = initOnce(Requests.init(ID, timeoutMs));
    assertThat(answer.errorCode).isZero();
    return new Identity(ID, answer.producerId, answer.producerEpoch);
  }

  InitProducerIdResponse initOnce(InitProducerIdRequest request) {
    return ask(ApiKey.INIT_PRODUCER_ID, 5, request, InitProducerIdResponse.class);
  }

  /** By its owner, who goes on with the next epoch. */
  InitProducerIdResponse reinit(Identity who) {
    InitProducerIdRequest request = Requests.init(ID, 60_000);
    request.producerId = who.producerId();
    request.producerEpoch = who.epoch();
    return initOnce(request);
  }

  WireError add(Identity who) {
    return WireError.of(
        ask(
                ApiKey.ADD_PARTITIONS_TO_TXN,
                3,
                Requests.addPartition(who, DATA),
                AddPartitionsToTxnResponse.class)
            .resultsByTopicV3AndBelow
            .get(0)
            .resultsByPartition
            .get(0)
            .partitionErrorCode);
  }

  WireError produce(int version, Identity who, int sequence) {
    return WireError.of(
        ask(
                ApiKey.PRODUCE,
                version,
                Requests.produce(who, DATA, sequence, List.of("v"), clock.wallMillis()),
                ProduceResponse.class)
            .responses
            .get(0)
            .partitionResponses
            .get(0)
            .errorCode);
  }

  EndTxnResponse end(int version, Identity who, boolean commit) {
    return ask(ApiKey.END_TXN, version, Requests.end(who, commit), EndTxnResponse.class);
  }

  /** Writes an abort marker as the coordinator of that epoch would. */
  WireError mark(Identity who, int coordinatorEpoch) {
    WriteTxnMarkersRequest.WritableTxnMarkerTopic topic =
        new WriteTxnMarkersRequest.WritableTxnMarkerTopic();
    topic.name = DATA.topic();
    topic.partitionIndexes.add(DATA.partition());
    WriteTxnMarkersRequest.WritableTxnMarker marker =
        new WriteTxnMarkersRequest.WritableTxnMarker();
    marker.producerId = who.producerId();
    marker.producerEpoch = who.epoch();
    marker.coordinatorEpoch = coordinatorEpoch;
    marker.topics.add(topic);
    WriteTxnMarkersRequest request = new WriteTxnMarkersRequest();
    request.markers.add(marker);
    return WireError.of(
        ask(ApiKey.WRITE_TXN_MARKERS, 1, request, WriteTxnMarkersResponse.class)
            .markers
            .get(0)
            .topics
            .get(0)
            .partitions
            .get(0)
            .errorCode);
  }

  /** The damage that an offline check finds in what the broker leaves when it dies now. */
  List<Finding> damage() {
    broker.die(false);
    List<Finding> findings = new ArrayList<>();
    DirectoryCheck.Summary summary = DirectoryCheck.run(broker.disk(), findings::add);
    CoordinatorCheck.run(broker.disk(), summary, broker.tables(), "rows", findings::add);
    return findings.stream().filter(Finding::isDamage).toList();
  }

  static Identity next(EndTxnResponse ended) {
    assertThat(WireError.of(ended.errorCode)).isEqualTo(WireError.NONE);
    return new Identity(ID, ended.producerId, ended.producerEpoch);
  }

  /** What ListTransactions says of all ids: their states, by duration of the open transaction. */
  List<String> list(long durationMs) {
    ListTransactionsRequest request = new ListTransactionsRequest();
    request.durationFilter = durationMs;
    return ask(ApiKey.LIST_TRANSACTIONS, 1, request, ListTransactionsResponse.class)
        .transactionStates
        .stream()
        .map(state -> state.transactionState)
        .toList();
  }
}
