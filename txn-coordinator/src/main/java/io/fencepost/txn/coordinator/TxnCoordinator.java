package io.fencepost.txn.coordinator;

import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.testing.Rule;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.shard.ShardDecision;
import io.fencepost.txn.shard.ShardLogs;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.ShardTask;
import io.fencepost.txn.shard.Shards;
import io.fencepost.txn.table.Tables;
import io.fencepost.txn.txn.IdSource;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnEvent;
import io.fencepost.txn.txn.TxnMachine;
import io.fencepost.txn.txn.TxnState;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The transaction coordinator of one broker: finds the shard of a transactional id, lets {@link
 * TxnMachine} decide, and sees ends through to their markers. Also the produce path's {@link
 * TransactionGate}. Thread-safe.
 */
public final class TxnCoordinator implements TransactionGate {
  /** Kafka's name for the log. */
  public static final String TOPIC = "__transaction_state";

  private static final long NANOS_PER_MS = 1_000_000;

  /** Times in milliseconds, by Kafka's settings of similar names. */
  public record Settings(
      int maxTimeoutMs, long timeoutScanMs, long idExpirationMs, long expirationScanMs) {}

  /** What the coordinator borrows from its broker. */
  public record Parts(
      ShardLogs logs,
      Supplier<Tables> tables,
      MarkerTarget markers,
      IdSource ids,
      ShardRuntime.Environment environment) {}

  private final Settings settings;
  private final MarkerTarget markers;
  private final Consumer<String> notices;
  private final IdSource ids;
  private final Clock clock;
  private final Scheduler scheduler;
  private final Refusals refusals;
  private final Meters meters;
  private final TxnMachine machine;
  private final Shards<TxnShard> shards;

  /** Wall time minus monotonic time, as it was at the start. */
  private final long wallOffsetMs;

  private boolean isScanArmed;
  private boolean isExpiryArmed;
  private volatile boolean stopped;

  public TxnCoordinator(Parts parts, Settings settings) {
    this.settings = settings;
    this.ids = parts.ids();
    this.clock = parts.environment().clock();
    this.scheduler = parts.environment().scheduler();
    this.markers = parts.markers();
    this.notices = parts.environment().notices();
    this.wallOffsetMs = clock.wallMillis() - clock.monotonicNanos() / NANOS_PER_MS;
    this.refusals = new Refusals(clock, notices);
    this.meters = parts.environment().meters();
    this.machine = new TxnMachine(ids, settings.maxTimeoutMs());
    this.shards =
        new Shards<>(
            TOPIC,
            parts.logs(),
            parts.tables(),
            TxnShard::new,
            parts.environment(),
            this::onServing);
  }

  /** Loads what is there, and with it finishes what was prepared and aborts what is overdue. */
  public void start() {
    shards.refreshSoon();
  }

  public void stop() {
    stopped = true;
    shards.close();
  }

  public Shards<TxnShard> shards() {
    return shards;
  }

  /** A fresh identity for a producer without transactional id. */
  public ProducerIdentity freshIdentity() {
    return new ProducerIdentity(ids.nextId(), (short) 0);
  }

  /** Decides the event in turn with the other requests of this id, and replies when it is done. */
  public void handle(String transactionalId, TxnEvent event, TxnReply reply) {
    ShardRuntime<TxnShard> runtime = shards.find(transactionalId);
    if (runtime == null) {
      reply.done(WireError.NOT_COORDINATOR, null);
      return;
    }
    handle(runtime, transactionalId, event, reply);
  }

  /** Whether the partitions are in the producer's ongoing transaction; changes nothing. */
  public void verify(
      String transactionalId,
      ProducerIdentity producer,
      SortedSet<TopicPartition> partitions,
      Consumer<SortedMap<TopicPartition, WireError>> answer) {
    inTurn(
        transactionalId,
        shard -> TxnMachine.verify(shard.entry(transactionalId), producer, partitions),
        answer,
        error -> answer.accept(all(partitions, error)));
  }

  /** What is known of the id, NONE and null if nothing is. */
  public void describe(String transactionalId, TxnReply reply) {
    List<TxnEntry> found = new ArrayList<>();
    inTurn(
        transactionalId,
        shard -> {
          TxnEntry entry = shard.entry(transactionalId);
          if (entry != null) {
            found.add(entry);
          }
          return found;
        },
        entries -> reply.done(WireError.NONE, entries.isEmpty() ? null : entries.get(0)),
        error -> reply.done(error, null));
  }

  /** The entries that match, in all shards that are here; with an error, those found until then. */
  public void list(Predicate<TxnEntry> wanted, BiConsumer<WireError, List<TxnEntry>> answer) {
    List<ShardRuntime<TxnShard>> left = shards.all();
    listNext(left, 0, wanted, new ArrayList<>(), answer);
  }

  private static void listNext(
      List<ShardRuntime<TxnShard>> runtimes,
      int index,
      Predicate<TxnEntry> wanted,
      List<TxnEntry> found,
      BiConsumer<WireError, List<TxnEntry>> answer) {
    if (index == runtimes.size()) {
      answer.accept(WireError.NONE, found);
      return;
    }
    runtimes
        .get(index)
        .read(
            new ShardTask<>() {
              @Override
              public ShardDecision decide(TxnShard shard) {
                shard.forEach(
                    entry -> {
                      if (wanted.test(entry)) {
                        found.add(entry);
                      }
                    });
                return ShardDecision.answer(
                    () -> listNext(runtimes, index + 1, wanted, found, answer));
              }

              @Override
              public void refused(WireError error) {
                if (error == WireError.NOT_COORDINATOR) {
                  // Another broker leads it by now, and lists it.
                  listNext(runtimes, index + 1, wanted, found, answer);
                } else {
                  answer.accept(error, found);
                }
              }
            });
  }

  @Override
  public void admit(AdmitRequest request, Consumer<SortedMap<TopicPartition, WireError>> answer) {
    TreeSet<TopicPartition> partitions = new TreeSet<>(request.partitions());
    ProducerIdentity producer = new ProducerIdentity(request.producerId(), request.producerEpoch());
    if (request.addIfAbsent()) {
      handle(
          request.transactionalId(),
          new TxnEvent.AddPartitions(producer, partitions, 2),
          (error, entry) -> answer.accept(all(partitions, onProducePath(error))));
    } else {
      verify(
          request.transactionalId(),
          producer,
          partitions,
          verdicts -> {
            verdicts.replaceAll((partition, error) -> onProducePath(error));
            answer.accept(verdicts);
          });
    }
  }

  /** Writers are told of a newer producer in their own words. */
  private static WireError onProducePath(WireError error) {
    return error == WireError.PRODUCER_FENCED ? WireError.INVALID_PRODUCER_EPOCH : error;
  }

  @Override
  public void refused(String why) {
    refusals.tell(why);
  }

  TxnMachine machine() {
    return machine;
  }

  Refusals refusals() {
    return refusals;
  }

  Meters meters() {
    return meters;
  }

  /**
   * Milliseconds of wall time as of the start, moved on by monotonic time: whoever sets the clock
   * forward must not time all open transactions out. What all times of entries are counted in.
   */
  public long nowMs() {
    return wallOffsetMs + clock.monotonicNanos() / NANOS_PER_MS;
  }

  /**
   * Writes the markers of a prepared transaction. Given up when the runtime's term is over: whoever
   * leads then has the Prepare in its log.
   */
  void end(ShardRuntime<TxnShard> runtime, TxnEntry prepared, Consumer<WireError> done) {
    Ending.Parts parts =
        new Ending.Parts(markers, scheduler, () -> stopped || runtime.isClosed(), notices);
    new Ending(prepared, runtime.coordinatorEpoch(), parts, done).start();
  }

  private void handle(ShardRuntime<TxnShard> runtime, String id, TxnEvent event, TxnReply reply) {
    boolean isInTurn =
        !(event instanceof TxnEvent.AddPartitions) || Rule.NOBODY_JOINS_AN_ENDING.holds();
    runtime.write(
        isInTurn ? id : null,
        new TxnTask(
            this,
            runtime,
            id,
            event,
            (error, entry) -> {
              reply.done(error, entry);
              if (entry != null && entry.state() == TxnState.ONGOING) {
                armTimeoutScan();
              }
            }));
  }

  /** Reads in turn with the writes of the id. */
  private <T> void inTurn(
      String id, Function<TxnShard, T> look, Consumer<T> answer, Consumer<WireError> refused) {
    shards.write(
        id,
        new ShardTask<>() {
          @Override
          public ShardDecision decide(TxnShard shard) {
            T seen = look.apply(shard);
            return ShardDecision.answer(() -> answer.accept(seen));
          }

          @Override
          public void refused(WireError error) {
            refused.accept(error);
          }
        });
  }

  private static SortedMap<TopicPartition, WireError> all(
      SortedSet<TopicPartition> partitions, WireError error) {
    TreeMap<TopicPartition, WireError> answer = new TreeMap<>();
    partitions.forEach(partition -> answer.put(partition, error));
    return answer;
  }

  /** Crashed ends go on before anybody else asks; the rest is the timeout scan's business. */
  private void onServing(ShardRuntime<TxnShard> runtime) {
    armExpiryScan();
    scan(runtime);
  }

  private void armTimeoutScan() {
    synchronized (this) {
      if (isScanArmed || stopped) {
        return;
      }
      isScanArmed = true;
    }
    scheduler.after(
        settings.timeoutScanMs(),
        () -> {
          synchronized (this) {
            isScanArmed = false;
          }
          if (!stopped) {
            shards.all().forEach(this::scan);
          }
        });
  }

  /** Ends what is overdue or was left prepared, and looks again as long as anything is open. */
  private void scan(ShardRuntime<TxnShard> runtime) {
    visit(
        runtime,
        (shard, due) -> {
          for (TxnEntry entry : shard.open()) {
            if (entry.state().isPrepared() || nowMs() >= entry.deadlineMs()) {
              due.add(entry.transactionalId());
            }
          }
          if (!shard.open().isEmpty()) {
            armTimeoutScan();
          }
        },
        id -> handle(runtime, id, new TxnEvent.Overdue(), (error, entry) -> {}));
  }

  private void armExpiryScan() {
    synchronized (this) {
      if (isExpiryArmed || stopped) {
        return;
      }
      isExpiryArmed = true;
    }
    scheduler.after(
        settings.expirationScanMs(),
        () -> {
          synchronized (this) {
            isExpiryArmed = false;
          }
          if (!stopped) {
            shards.all().forEach(this::expire);
            armExpiryScan();
          }
        });
  }

  private void expire(ShardRuntime<TxnShard> runtime) {
    TxnEvent.Expire event = new TxnEvent.Expire(settings.idExpirationMs());
    visit(
        runtime,
        (shard, due) ->
            shard.forEach(
                entry -> {
                  if (entry.state().isIdle()
                      && nowMs() - entry.updatedMs() >= settings.idExpirationMs()) {
                    due.add(entry.transactionalId());
                  }
                }),
        id -> handle(runtime, id, event, (error, entry) -> {}));
  }

  /** Collects ids under the shard's lock and acts on them outside of it. */
  private static void visit(
      ShardRuntime<TxnShard> runtime, Collector collector, Consumer<String> act) {
    runtime.read(
        new ShardTask<>() {
          @Override
          public ShardDecision decide(TxnShard shard) {
            List<String> due = new ArrayList<>();
            collector.collect(shard, due);
            return ShardDecision.answer(() -> due.forEach(act));
          }

          @Override
          public void refused(WireError error) {}
        });
  }

  private interface Collector {
    void collect(TxnShard shard, List<String> due);
  }
}
