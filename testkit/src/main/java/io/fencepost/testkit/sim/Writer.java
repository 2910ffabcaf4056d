package io.fencepost.testkit.sim;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.ConsumerGroupHeartbeatRequest;
import io.fencepost.broker.wire.message.ConsumerGroupHeartbeatResponse;
import io.fencepost.broker.wire.message.EndTxnResponse;
import io.fencepost.broker.wire.message.InitProducerIdRequest;
import io.fencepost.broker.wire.message.InitProducerIdResponse;
import io.fencepost.broker.wire.message.OffsetFetchResponse;
import io.fencepost.broker.wire.message.ProduceResponse;
import io.fencepost.broker.wire.message.TxnOffsetCommitRequest;
import io.fencepost.broker.wire.message.TxnOffsetCommitResponse;
import io.fencepost.broker.wire.message.WriteTxnMarkersRequest;
import io.fencepost.broker.wire.message.WriteTxnMarkersResponse;
import io.fencepost.testkit.fault.FaultAction;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.sim.Requests.Identity;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A transactional producer of a {@link Scene}, which does what it is told. A plan may kill it, and
 * then it does nothing more, or let it stand still while others go on. Not thread-safe.
 */
public final class Writer {
  private static final int TIMEOUT_MS = 30_000;
  private static final TopicPartition INPUT = Scene.partition(0);

  private final Scene scene;
  private final String name;
  private final String transactionalId;
  private final boolean raisesEpoch;
  private final SceneCall calls;
  private final History history;
  private final TreeMap<TopicPartition, Integer> sequences = new TreeMap<>();
  private final TreeSet<TopicPartition> added = new TreeSet<>();
  private Identity who;
  private Runnable meanwhile = () -> {};
  private boolean isDead;
  private boolean isOpen;
  private int sessions;
  private int transactions;
  private int values;
  private int memberEpoch;

  Writer(Scene scene, String name, String transactionalId, boolean raisesEpoch) {
    this.scene = scene;
    this.name = name;
    this.transactionalId = transactionalId;
    this.raisesEpoch = raisesEpoch;
    this.calls = new SceneCall(scene, name);
    this.history = scene.history();
    this.who = new Identity(transactionalId, -1, (short) -1);
  }

  /** What others do while it stands still. */
  public Writer meanwhile(Runnable others) {
    meanwhile = others;
    return this;
  }

  String transactionalId() {
    return transactionalId;
  }

  String session() {
    return name + "." + sessions;
  }

  private String transaction() {
    return session() + "/" + transactions;
  }

  /** Gets its epoch, and fences who had one before; a new life, if it was dead. */
  public Writer init() {
    isDead = false;
    isOpen = false;
    sessions++;
    SceneCall.Done done = init(Requests.init(transactionalId, TIMEOUT_MS));
    if (done.isOk()) {
      scene.own(this);
    }
    return this;
  }

  /** The owner asks for its next epoch (KIP-360), so many times. */
  public void renew(int times) {
    for (int i = 0; i < times; i++) {
      InitProducerIdRequest request = Requests.init(transactionalId, TIMEOUT_MS);
      request.producerId = who.producerId();
      request.producerEpoch = who.epoch();
      if (!init(request).isOk()) {
        return;
      }
    }
  }

  private SceneCall.Done init(InitProducerIdRequest request) {
    SceneCall.Done done =
        ask(
            ApiKey.INIT_PRODUCER_ID,
            4,
            request,
            response -> WireError.of(((InitProducerIdResponse) response).errorCode),
            facts());
    if (done.response() instanceof InitProducerIdResponse it && done.isOk()) {
      who = new Identity(transactionalId, it.producerId, it.producerEpoch);
      sequences.clear();
      added.clear();
    } else if (!isFenced(done.error())) {
      scene.trouble(name + " cannot initialise: " + done.why());
    }
    return done;
  }

  private static boolean isFenced(@Nullable WireError error) {
    return error == WireError.PRODUCER_FENCED || error == WireError.INVALID_PRODUCER_EPOCH;
  }

  /** Sends a batch of so many records in its transaction, which begins if none is open. */
  public Writer send(int partition, int records) {
    if (isGone(FaultPoints.BEFORE_SEND, facts().partition(Scene.TOPIC, partition))) {
      return this;
    }
    begin();
    TopicPartition to = Scene.partition(partition);
    if (!raisesEpoch && !added.contains(to) && !add(to)) {
      return this;
    }
    List<String> batch = new ArrayList<>();
    for (int i = 0; i < records; i++) {
      batch.add(transaction() + ":" + ++values);
    }
    produce(to, batch);
    isGone(FaultPoints.AFTER_SEND, facts().partition(Scene.TOPIC, partition));
    return this;
  }

  private void begin() {
    if (!isOpen) {
      isOpen = true;
      transactions++;
      added.clear();
    }
  }

  private boolean add(TopicPartition to) {
    SceneCall.Done done =
        ask(
            ApiKey.ADD_PARTITIONS_TO_TXN,
            3,
            Requests.addPartition(who, to),
            Requests::addedPartition,
            facts());
    if (done.isOk()) {
      added.add(to);
    }
    return done.isOk();
  }

  private void produce(TopicPartition to, List<String> batch) {
    int sequence = sequences.getOrDefault(to, 0);
    batch.forEach(value -> history.add(new Event.SendAsked(transaction(), to, value)));
    SceneCall.Done done =
        ask(
            ApiKey.PRODUCE,
            raisesEpoch ? 12 : 11,
            Requests.produce(who, to, sequence, batch, scene.wallMillis()),
            Writer::producedError,
            facts().partition(to.topic(), to.partition()));
    long offset =
        done.response() instanceof ProduceResponse it
            ? it.responses.get(0).partitionResponses.get(0).baseOffset
            : -1;
    for (String value : batch) {
      history.add(
          new Event.Sent(transaction(), to, value, done.outcome(), done.isOk() ? offset++ : -1));
    }
    if (done.isOk()) {
      sequences.put(to, sequence + batch.size());
    }
  }

  private static WireError producedError(WireMessage response) {
    return WireError.of(
        ((ProduceResponse) response).responses.get(0).partitionResponses.get(0).errorCode);
  }

  /**
   * A batch that the network held back: it was sent in the transaction that has just been ended, or
   * is being, and its producer waits for no answer.
   */
  public void arriveLate(int partition) {
    TopicPartition to = Scene.partition(partition);
    String value = transaction() + ":" + ++values;
    history.add(new Event.SendAsked(transaction(), to, value));
    WireMessage request =
        Requests.produce(
            who, to, sequences.getOrDefault(to, 0), List.of(value), scene.wallMillis());
    scene
        .client(name + " late")
        .call(
            ApiKey.PRODUCE,
            12,
            request,
            answer -> history.add(new Event.Sent(transaction(), to, value, Outcome.UNKNOWN, -1)));
  }

  /** Stages the next input offset of its group, as nobody's member. */
  public Writer stage(String group, long offset) {
    return stage(group, "", -1, offset);
  }

  /** The same as the member that it joined as. */
  public Writer stageAsMember(String group, long offset) {
    return stage(group, name, memberEpoch, offset);
  }

  private Writer stage(String group, String member, int generation, long offset) {
    if (isGone(FaultPoints.BEFORE_STAGE, facts().group(group))) {
      return this;
    }
    begin();
    TxnOffsetCommitRequest request = Requests.stage(who, group, INPUT, offset);
    request.memberId = member;
    request.generationIdOrMemberEpoch = generation;
    SceneCall.Done done =
        ask(
            ApiKey.TXN_OFFSET_COMMIT,
            5,
            request,
            response ->
                WireError.of(
                    ((TxnOffsetCommitResponse) response).topics.get(0).partitions.get(0).errorCode),
            facts().group(group));
    if (done.isOk()) {
      history.add(new Event.Staged(transaction(), group, INPUT, offset));
    }
    if (!member.isEmpty() && isGivenUp) {
      history.add(new Event.StaleStaged(session(), done.outcome(), done.why()));
    }
    isGone(FaultPoints.AFTER_STAGE, facts().group(group));
    return this;
  }

  private boolean isGivenUp;

  /** Joins its group by the newer protocol, under its own name. */
  public Writer join(String group) {
    ConsumerGroupHeartbeatRequest request = new ConsumerGroupHeartbeatRequest();
    request.groupId = group;
    request.memberId = name;
    request.memberEpoch = 0;
    request.rebalanceTimeoutMs = TIMEOUT_MS;
    request.subscribedTopicNames = List.of(Scene.TOPIC);
    request.topicPartitions = List.of();
    SceneCall.Done done =
        ask(
            ApiKey.CONSUMER_GROUP_HEARTBEAT,
            1,
            request,
            response -> WireError.of(((ConsumerGroupHeartbeatResponse) response).errorCode),
            facts().group(group));
    if (done.response() instanceof ConsumerGroupHeartbeatResponse it && done.isOk()) {
      memberEpoch = it.memberEpoch;
      isGivenUp = false;
    } else {
      scene.trouble(name + " cannot join: " + done.why());
    }
    return this;
  }

  /** Its group has not heard of it for longer than it waits. */
  public void beGivenUp() {
    isGivenUp = true;
  }

  /** Ends its transaction. */
  public Writer end(boolean commit) {
    if (isGone(FaultPoints.BEFORE_END, facts())) {
      return this;
    }
    history.add(new Event.EndAsked(transaction(), commit));
    SceneCall.Done done =
        ask(
            ApiKey.END_TXN,
            raisesEpoch ? 5 : 4,
            Requests.end(who, commit),
            response -> WireError.of(((EndTxnResponse) response).errorCode),
            facts());
    ended(commit, done);
    isGone(FaultPoints.AFTER_END, facts());
    return this;
  }

  /** Asks for the end once, and goes on before it is answered. */
  public Writer endSoon(boolean commit) {
    String transaction = transaction();
    history.add(new Event.EndAsked(transaction, commit));
    scene
        .client(name + " ending")
        .call(
            ApiKey.END_TXN,
            raisesEpoch ? 5 : 4,
            Requests.end(who, commit),
            answer -> {
              WireError error =
                  answer instanceof EndTxnResponse it ? WireError.of(it.errorCode) : null;
              ended(commit, new SceneCall.Done(error, answer, true));
            });
    return this;
  }

  private void ended(boolean commit, SceneCall.Done done) {
    history.add(new Event.Ended(transaction(), commit, done.outcome()));
    isOpen = false;
    if (raisesEpoch && done.isOk() && done.response() instanceof EndTxnResponse it) {
      who = new Identity(transactionalId, it.producerId, it.producerEpoch);
      sequences.clear();
    }
  }

  /** What is committed for its group, read as a starting member does. */
  public void readOffset(String group) {
    history.add(new Event.OffsetAsked(group, INPUT));
    SceneCall.Done done =
        calls.ask(
            ApiKey.OFFSET_FETCH,
            7,
            Requests.committedOffset(group, INPUT),
            response -> {
              OffsetFetchResponse it = (OffsetFetchResponse) response;
              return it.errorCode != 0
                  ? WireError.of(it.errorCode)
                  : WireError.of(it.topics.get(0).partitions.get(0).errorCode);
            });
    if (done.response() instanceof OffsetFetchResponse it && done.isOk()) {
      history.add(
          new Event.OffsetSeen(group, INPUT, it.topics.get(0).partitions.get(0).committedOffset));
    }
  }

  /** Its identity as it is now, for an operator who looks at it. */
  public Runnable aborter(int partition) {
    Identity seen = who;
    return () -> abort(seen, partition);
  }

  /** As the tool for hanging transactions does. */
  private void abort(Identity seen, int partition) {
    WriteTxnMarkersRequest.WritableTxnMarkerTopic topic =
        new WriteTxnMarkersRequest.WritableTxnMarkerTopic();
    topic.name = Scene.TOPIC;
    topic.partitionIndexes.add(partition);
    WriteTxnMarkersRequest.WritableTxnMarker marker =
        new WriteTxnMarkersRequest.WritableTxnMarker();
    marker.producerId = seen.producerId();
    marker.producerEpoch = seen.epoch();
    marker.topics.add(topic);
    WriteTxnMarkersRequest request = new WriteTxnMarkersRequest();
    request.markers.add(marker);
    var unused =
        new SceneCall(scene, "operator")
            .ask(
                ApiKey.WRITE_TXN_MARKERS,
                1,
                request,
                response ->
                    WireError.of(
                        ((WriteTxnMarkersResponse) response)
                            .markers
                            .get(0)
                            .topics
                            .get(0)
                            .partitions
                            .get(0)
                            .errorCode),
                FaultFacts.NONE.partition(Scene.TOPIC, partition));
  }

  private FaultFacts facts() {
    return FaultFacts.NONE.client(name).transaction(transactionalId);
  }

  private SceneCall.Done ask(
      ApiKey api,
      int version,
      WireMessage request,
      Function<WireMessage, WireError> errorOf,
      FaultFacts facts) {
    boolean isZombie = scene.isZombie(this);
    SceneCall.Done done = calls.ask(api, version, request, errorOf, facts);
    if (isZombie && api != ApiKey.INIT_PRODUCER_ID && api != ApiKey.CONSUMER_GROUP_HEARTBEAT) {
      scene.late(this, api, done.outcome(), done.why());
    }
    return done;
  }

  /** Whether it does not live to do it. */
  private boolean isGone(FaultPoint point, FaultFacts facts) {
    if (isDead) {
      return true;
    }
    FaultAction action = scene.passJob(point, facts);
    if (action != null && action.kind() == FaultKind.KILL_JOB) {
      isDead = true;
    } else if (action != null) {
      Runnable others = meanwhile;
      meanwhile = () -> {};
      others.run();
      scene.runFor(action.duration().toMillis());
    }
    return isDead;
  }
}
