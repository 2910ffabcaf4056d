package io.fencepost.testkit.sim;

import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimTransport;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.AddOffsetsToTxnResponse;
import io.fencepost.broker.wire.message.EndTxnResponse;
import io.fencepost.broker.wire.message.InitProducerIdResponse;
import io.fencepost.broker.wire.message.OffsetFetchResponse;
import io.fencepost.broker.wire.message.ProduceResponse;
import io.fencepost.broker.wire.message.TxnOffsetCommitResponse;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.sim.Requests.Identity;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A transactional producer: init, then transactions of a few records and perhaps a staged offset,
 * ended by commit or abort, for ever. Retries what has no answer, as clients do, and sometimes
 * gives up or dawdles, perhaps past its timeout; after each failure it starts over with a new
 * epoch. Two writers may share a transactional id: then each fences the other. Not thread-safe.
 */
final class SimWriter {
  private static final int TIMEOUT_MS = 8_000;
  private static final int DAWDLE_PER_MILLE = 30;
  private static final int MAX_RECORDS = 3;
  private static final int MAX_SENDS = 4;
  private static final long LATE_NANOS = 1_000_000L * SimTransport.MAX_LATE_MS;

  private final String name;
  private final String transactionalId;
  private final String group;
  private final List<TopicPartition> outputs;
  private final boolean sharesId;
  private final boolean implicitAdd;
  private final PatientCalls calls;
  private final Scheduler scheduler;
  private final Sim sim;
  private final SimEntropy entropy;
  private final History history;
  private final TreeMap<TopicPartition, Integer> sequences = new TreeMap<>();
  private final TreeSet<TopicPartition> added = new TreeSet<>();
  private Identity who;
  private int transactionCount;
  private int valueCount;
  private int sendsLeft;
  private boolean empty;
  private String transaction = "";
  private long begunNanos;

  /** An InitProducerId of its own, sent once more than answered, may come late until this time. */
  private long lateUntilNanos;

  private boolean maybeOvertaken;

  private boolean stopping;
  private boolean idle;

  /**
   * @param sharesId whether others may fence it
   * @param implicitAdd true for the protocol of transaction version 2, where the broker adds
   *     partitions itself and every end raises the epoch
   */
  SimWriter(String name, String transactionalId, boolean sharesId, boolean implicitAdd, Sim sim) {
    this.name = name;
    this.transactionalId = transactionalId;
    this.group = "group-of-" + name;
    this.who = new Identity(transactionalId, -1, (short) -1);
    this.outputs = sim.partitions();
    this.sharesId = sharesId;
    this.implicitAdd = implicitAdd;
    this.calls = new PatientCalls(name, sim);
    this.scheduler = sim.scheduler();
    this.sim = sim;
    this.entropy = sim.entropy().named(name);
    this.history = sim.history();
  }

  void start() {
    init();
  }

  /** Ends after the transaction that is open now. */
  void stop() {
    stopping = true;
  }

  boolean isIdle() {
    return idle;
  }

  @Override
  public String toString() {
    return name + " in transaction '" + transaction + "' as " + who;
  }

  private void init() {
    if (stopping) {
      idle = true;
      return;
    }
    sequences.clear();
    calls.call(
        ApiKey.INIT_PRODUCER_ID,
        4,
        Requests.init(transactionalId, TIMEOUT_MS),
        response -> WireError.of(((InitProducerIdResponse) response).errorCode),
        done -> {
          Invariant.check(!done.isRefused(), "%s could not init: %s", this, done.error());
          if (done.anyLost()) {
            maybeOvertaken = true;
            lateUntilNanos = sim.clock().monotonicNanos() + LATE_NANOS;
          }
          if (done.response() instanceof InitProducerIdResponse it) {
            who = new Identity(transactionalId, it.producerId, it.producerEpoch);
            begin();
          } else {
            pause(this::init);
          }
        });
  }

  private void begin() {
    if (stopping) {
      idle = true;
      return;
    }
    transaction = name + "/" + ++transactionCount;
    begunNanos = sim.clock().monotonicNanos();
    added.clear();
    empty = true;
    sendsLeft = entropy.nextInt(MAX_SENDS + 1);
    next();
  }

  private void next() {
    if (entropy.oneOf(DAWDLE_PER_MILLE) && !sim.isCalm()) {
      var unused = scheduler.after(entropy.nextInt(2 * TIMEOUT_MS), this::step);
    } else {
      step();
    }
  }

  private void step() {
    if (sendsLeft-- > 0) {
      TopicPartition to = outputs.get(entropy.nextInt(outputs.size()));
      if (implicitAdd || added.contains(to)) {
        send(to);
      } else {
        add(to);
      }
    } else if (entropy.nextInt(2) == 0) {
      if (implicitAdd) {
        stage();
      } else {
        addOffsets();
      }
    } else if (empty) {
      pause(this::begin);
    } else {
      end(entropy.nextInt(4) != 0);
    }
  }

  private void add(TopicPartition to) {
    calls.call(
        ApiKey.ADD_PARTITIONS_TO_TXN,
        3,
        Requests.addPartition(who, to),
        Requests::addedPartition,
        done -> {
          if (done.isOk()) {
            added.add(to);
            empty = false;
            send(to);
          } else {
            startOver(done.error());
          }
        });
  }

  private void send(TopicPartition to) {
    List<String> values = new ArrayList<>();
    for (int i = 1 + entropy.nextInt(MAX_RECORDS); i > 0; i--) {
      values.add(name + ":" + ++valueCount);
    }
    int sequence = sequences.getOrDefault(to, 0);
    empty = false;
    calls.call(
        ApiKey.PRODUCE,
        implicitAdd ? 12 : 11,
        Requests.produce(who, to, sequence, values, sim.clock().wallMillis()),
        response ->
            WireError.of(
                ((ProduceResponse) response).responses.get(0).partitionResponses.get(0).errorCode),
        done -> {
          long offset =
              done.response() instanceof ProduceResponse it
                  ? it.responses.get(0).partitionResponses.get(0).baseOffset
                  : -1;
          for (String value : values) {
            history.add(
                new Event.Sent(
                    transaction, to, value, done.outcome(), done.isOk() ? offset++ : -1));
          }
          if (done.isOk()) {
            sequences.put(to, sequence + values.size());
            next();
          } else {
            startOver(done.error());
          }
        });
  }

  private void addOffsets() {
    calls.call(
        ApiKey.ADD_OFFSETS_TO_TXN,
        3,
        Requests.addOffsets(who, group),
        response -> WireError.of(((AddOffsetsToTxnResponse) response).errorCode),
        done -> {
          if (done.isOk()) {
            stage();
          } else {
            startOver(done.error());
          }
        });
  }

  private void stage() {
    TopicPartition input = outputs.get(0);
    long offset = transactionCount;
    empty = false;
    calls.call(
        ApiKey.TXN_OFFSET_COMMIT,
        implicitAdd ? 5 : 4,
        Requests.stage(who, group, input, offset),
        response ->
            WireError.of(
                ((TxnOffsetCommitResponse) response).topics.get(0).partitions.get(0).errorCode),
        done -> {
          if (done.isOk()) {
            history.add(new Event.Staged(transaction, group, input, offset));
            end(entropy.nextInt(4) != 0);
          } else {
            startOver(done.error());
          }
        });
  }

  private void end(boolean commit) {
    history.add(new Event.EndAsked(transaction, commit));
    calls.call(
        ApiKey.END_TXN,
        implicitAdd ? 5 : 4,
        Requests.end(who, commit),
        response -> WireError.of(((EndTxnResponse) response).errorCode),
        done -> {
          history.add(new Event.Ended(transaction, commit, done.outcome()));
          if (!done.isOk()) {
            startOver(done.error());
            return;
          }
          maybeOvertaken &= sim.clock().monotonicNanos() < lateUntilNanos;
          if (implicitAdd && done.response() instanceof EndTxnResponse it) {
            who = new Identity(transactionalId, it.producerId, it.producerEpoch);
            sequences.clear();
          }
          if (entropy.nextInt(2) == 0) {
            readOffset();
          } else {
            pause(this::begin);
          }
        });
  }

  private void readOffset() {
    TopicPartition input = outputs.get(0);
    calls.call(
        ApiKey.OFFSET_FETCH,
        7,
        Requests.committedOffset(group, input),
        response -> {
          OffsetFetchResponse it = (OffsetFetchResponse) response;
          return it.errorCode != 0
              ? WireError.of(it.errorCode)
              : WireError.of(it.topics.get(0).partitions.get(0).errorCode);
        },
        done -> {
          if (done.response() instanceof OffsetFetchResponse it && done.isOk()) {
            long offset = it.topics.get(0).partitions.get(0).committedOffset;
            history.add(new Event.OffsetSeen(group, input, offset));
          }
          pause(this::begin);
        });
  }

  /** The transaction is lost to this writer; the next init ends it if nobody else did. */
  private void startOver(@Nullable WireError error) {
    Invariant.check(
        error == null || isDeserved(error),
        "%s was answered %s, which it did nothing to deserve",
        this,
        error);
    pause(this::init);
  }

  /** Whether it was too slow, or somebody took over its id. */
  private boolean isDeserved(WireError error) {
    long now = sim.clock().monotonicNanos();
    boolean isOverdue =
        now - begunNanos >= TIMEOUT_MS * 1_000_000L || sim.mayHaveMovedDeadlines(begunNanos);
    return switch (error) {
      case INVALID_TXN_STATE, TRANSACTION_ABORTABLE -> isOverdue;
      case INVALID_PRODUCER_EPOCH, PRODUCER_FENCED -> isOverdue || sharesId || maybeOvertaken;
      // Its records were made before the clock was set back by an hour or more.
      case INVALID_TIMESTAMP -> sim.isClockStepped();
      default -> false;
    };
  }

  private void pause(Runnable then) {
    var unused = scheduler.after(entropy.nextInt(sim.pauseMs()), then);
  }
}
