package io.fencepost.broker.producer;

import io.fencepost.broker.testing.Rule;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All producers of one partition. Asked before an append ({@link #check}, {@link #checkMarker}),
 * told after it ({@link #apply}, {@link #applyMarker}); replay after a start only tells.
 *
 * <p>Rules of a batch, in this order:
 *
 * <pre>
 * epoch older than known                        Fenced            INVALID_PRODUCER_EPOCH
 * exactly one of the last five batches          Duplicate         the original offset
 * plain batch, transaction of that id open      WrongTransaction  INVALID_TXN_STATE
 * transactional, not open, no valid guard       WrongTransaction  INVALID_TXN_STATE
 * new epoch of a known id                       first sequence 0, else Gap
 * unknown id                                    any first sequence; 0 if its transaction began
 *                                               implicitly (KIP-890), else Gap
 * same epoch                                    last + 1 modulo 2^31, else Gap
 * </pre>
 *
 * <p>Batches of coordinators carry no sequence (-1) and skip those rules. Nothing changes unless a
 * batch was written. Single-threaded: lives under the partition's lock.
 */
public final class ProducerStates {
  private final ProducerTable entries = new ProducerTable();
  private final OpenTransactions transactions = new OpenTransactions();

  private TxnGuards guards = new TxnGuards();

  /** What to do with this batch; changes nothing. */
  public AppendVerdict check(ProducedBatch batch, @Nullable TxnGuard guard) {
    ProducerEntry entry = entries.get(batch.producerId());
    if (entry != null) {
      if (batch.epoch() < entry.epoch()) {
        return new AppendVerdict.Fenced(batch.producerId(), entry.epoch(), batch.epoch());
      }
      int index =
          batch.epoch() == entry.epoch() && batch.hasSequence()
              ? entry.find(batch.baseSequence(), batch.lastSequence())
              : -1;
      if (index >= 0) {
        return new AppendVerdict.Duplicate(
            entry.baseOffset(index), entry.lastOffset(index), entry.timestamp(index));
      }
    }
    AppendVerdict verdict = checkTransaction(batch, entry, guard);
    return verdict == AppendVerdict.Accept.ACCEPT && batch.hasSequence()
        ? checkSequence(batch, entry, guard)
        : verdict;
  }

  /**
   * What to do with a coordinator's batch under a producer's id: epoch and transaction are checked,
   * sequences are not.
   */
  public AppendVerdict checkInternal(ProducedBatch batch, @Nullable TxnGuard guard) {
    ProducerEntry entry = entries.get(batch.producerId());
    if (entry != null && batch.epoch() < entry.epoch()) {
      return new AppendVerdict.Fenced(batch.producerId(), entry.epoch(), batch.epoch());
    }
    return batch.isTransactional()
        ? checkTransaction(batch, entry, guard)
        : AppendVerdict.Accept.ACCEPT;
  }

  private AppendVerdict checkTransaction(
      ProducedBatch batch, @Nullable ProducerEntry entry, @Nullable TxnGuard guard) {
    ProducerEntry open = entry != null && entry.hasOpenTransaction() ? entry : null;
    if (!batch.isTransactional()) {
      return open != null
          ? wrong(batch, "a plain batch while its transaction is open in this partition")
          : AppendVerdict.Accept.ACCEPT;
    }
    if (open != null && open.epoch() == batch.epoch()) {
      return AppendVerdict.Accept.ACCEPT;
    }
    if (open != null) {
      return wrong(batch, "the transaction of its older epoch is still open in this partition");
    }
    return isValid(guard, batch)
        ? AppendVerdict.Accept.ACCEPT
        : wrong(batch, "no ongoing transaction covers this partition");
  }

  private static AppendVerdict wrong(ProducedBatch batch, String reason) {
    return new AppendVerdict.WrongTransaction(batch.producerId(), batch.epoch(), reason);
  }

  private boolean isValid(@Nullable TxnGuard guard, ProducedBatch batch) {
    return guard != null
        && guard.epoch() == batch.epoch()
        && guards.find(batch.producerId(), batch.epoch()) == guard;
  }

  private static AppendVerdict checkSequence(
      ProducedBatch batch, @Nullable ProducerEntry entry, @Nullable TxnGuard guard) {
    int expected;
    if (entry == null) {
      expected = firstOfUnknown(batch, guard);
    } else if (entry.epoch() != batch.epoch()) {
      expected = 0;
    } else {
      expected = Sequences.next(entry.lastSequence());
    }
    return batch.baseSequence() == expected
        ? AppendVerdict.Accept.ACCEPT
        : new AppendVerdict.Gap(batch.producerId(), batch.epoch(), expected, batch.baseSequence());
  }

  private static int firstOfUnknown(ProducedBatch batch, @Nullable TxnGuard guard) {
    if (!batch.isTransactional() || guard == null) {
      return batch.baseSequence();
    }
    // An earlier batch of this transaction that was refused must not be overtaken by a later one.
    return guard.startsAtZero() ? 0 : guard.earliestSequence();
  }

  /** The batch was written at these offsets. */
  public void apply(ProducedBatch batch, long baseOffset, long timestamp, long nowMs) {
    ProducerEntry entry = enter(batch.producerId(), batch.epoch());
    if (batch.hasSequence()) {
      int distance = Sequences.distance(batch.baseSequence(), batch.lastSequence());
      entry.append(baseOffset, batch.baseSequence(), distance, timestamp);
    }
    entry.seen(nowMs);
    if (batch.isTransactional()) {
      guards.drop(batch.producerId(), batch.epoch());
      if (!entry.hasOpenTransaction()) {
        entry.open(baseOffset);
        transactions.begin(baseOffset);
      }
    }
  }

  /**
   * May this marker be written; changes nothing. A repeated one may: it finds nothing open.
   *
   * @param transactionVersion from 2 on an open transaction is ended by a greater epoch only; an
   *     equal one is a late repetition which belongs to the transaction before
   */
  public AppendVerdict checkMarker(Marker marker, int transactionVersion) {
    ProducerEntry entry = entries.get(marker.producerId());
    if (entry == null) {
      return AppendVerdict.Accept.ACCEPT;
    }
    boolean isLate =
        marker.producerEpoch() < entry.epoch()
            || (transactionVersion >= 2
                && marker.producerEpoch() == entry.epoch()
                && entry.hasOpenTransaction());
    if (isLate && Rule.MARKER_HAS_EPOCH.holds()) {
      return new AppendVerdict.Fenced(marker.producerId(), entry.epoch(), marker.producerEpoch());
    }
    if (!entry.hasOpenTransaction() && !Rule.MARKER_MAY_REPEAT.holds()) {
      return new AppendVerdict.WrongTransaction(
          marker.producerId(), marker.producerEpoch(), "nothing is open that this marker ends");
    }
    return marker.coordinatorEpoch() < entry.coordinatorEpoch()
        ? new AppendVerdict.CoordinatorFenced(
            marker.producerId(), entry.coordinatorEpoch(), marker.coordinatorEpoch())
        : AppendVerdict.Accept.ACCEPT;
  }

  /** As the log has it, where nobody holds a guard. */
  public @Nullable CompletedTxn applyMarker(Marker marker, long markerOffset, long nowMs) {
    return applyMarker(marker, 0, markerOffset, nowMs);
  }

  /**
   * The marker was written; returns the transaction that it ended, if one was open.
   *
   * @param transactionVersion from 2 on the marker's own epoch is that of the next transaction,
   *     whose guard stays valid
   */
  public @Nullable CompletedTxn applyMarker(
      Marker marker, int transactionVersion, long markerOffset, long nowMs) {
    ProducerEntry entry = enter(marker.producerId(), marker.producerEpoch());
    entry.coordinator(marker.coordinatorEpoch());
    entry.seen(nowMs);
    int lastEnded = marker.producerEpoch() - (transactionVersion >= 2 ? 1 : 0);
    guards.drop(marker.producerId(), lastEnded);
    if (!entry.hasOpenTransaction()) {
      return null;
    }
    CompletedTxn completed =
        new CompletedTxn(
            marker.producerId(), entry.openFirstOffset(), markerOffset, marker.commit());
    transactions.decide(entry.openFirstOffset(), markerOffset);
    entry.close();
    return completed;
  }

  private ProducerEntry enter(long producerId, short epoch) {
    ProducerEntry entry = entries.get(producerId);
    if (entry == null) {
      entry = new ProducerEntry(producerId, epoch);
      entries.put(entry);
    } else {
      entry.enterEpoch(epoch);
    }
    return entry;
  }

  /**
   * The guard to hold while the coordinator is asked about this batch, or null when nobody needs to
   * be asked: its transaction is open here, it is an exact retry, or its epoch is stale, which must
   * be told first because the producer can recover from that.
   */
  public @Nullable TxnGuard guardFor(ProducedBatch batch, boolean startsAtZero, long nowMs) {
    ProducerEntry entry = entries.get(batch.producerId());
    if (entry != null && isSettledWithoutCoordinator(batch, entry)) {
      return null;
    }
    TxnGuard guard = guards.find(batch.producerId(), batch.epoch());
    if (guard == null) {
      guard =
          new TxnGuard(
              batch.producerId(), batch.epoch(), batch.baseSequence(), startsAtZero, nowMs);
      guards.add(guard);
    } else {
      guard.shown(batch.baseSequence());
    }
    return guard;
  }

  /** The coordinator will never let this producer in: nobody will come with this guard. */
  public void drop(TxnGuard guard) {
    guards.remove(guard);
  }

  /** Another broker leads now: whom the coordinator lets in is its business. */
  public void dropGuards() {
    guards = new TxnGuards();
  }

  private static boolean isSettledWithoutCoordinator(ProducedBatch batch, ProducerEntry entry) {
    if (batch.epoch() != entry.epoch()) {
      return batch.epoch() < entry.epoch();
    }
    return entry.hasOpenTransaction()
        || (batch.hasSequence() && entry.find(batch.baseSequence(), batch.lastSequence()) >= 0);
  }

  /** Forgets who was quiet for that long and has no open transaction; returns how many. */
  public int expire(long nowMs, long expirationMs) {
    guards.expire(nowMs - expirationMs);
    return entries.removeIf(
        entry -> !entry.hasOpenTransaction() && nowMs - entry.lastSeenMs() >= expirationMs);
  }

  /** Markers below this offset can no longer be lost. */
  public void onHighWatermark(long highWatermark) {
    transactions.settle(highWatermark);
  }

  public long lastStableOffset(long highWatermark) {
    return transactions.lastStableOffset(highWatermark);
  }

  /** First offset of the oldest transaction without a marker but this one, or another value. */
  public long firstUndecidedExcept(long firstOffset, long otherwise) {
    return transactions.firstUndecidedExcept(firstOffset, otherwise);
  }

  /** Transactions that wait for their marker. */
  public int openCount() {
    return transactions.undecidedCount();
  }

  public int size() {
    return entries.size();
  }

  public @Nullable ProducerEntry find(long producerId) {
    return entries.get(producerId);
  }

  /** By producer id. */
  public List<ProducerEntry> sorted() {
    return entries.sorted();
  }

  /** In an order that depends on what was put in and when, but not on chance; no garbage. */
  public void forEach(Consumer<ProducerEntry> action) {
    entries.forEach(action);
  }

  /** Makes room before so many are restored. */
  void reserve(int count) {
    entries.reserve(count);
  }

  /**
   * The log went back to what is on disk, and these states with it; what coordinators were asked
   * meanwhile still holds.
   */
  public ProducerStates withGuardsOf(ProducerStates before) {
    guards = before.guards;
    return this;
  }

  /** Forgets those without an open transaction whom the others do not know. */
  void retain(ProducerStates others) {
    entries.removeIf(
        entry -> !entry.hasOpenTransaction() && others.find(entry.producerId()) == null);
  }

  /** Takes over an entry of a snapshot. */
  void restore(ProducerEntry entry) {
    entries.put(entry);
    if (entry.hasOpenTransaction()) {
      transactions.begin(entry.openFirstOffset());
    }
  }
}
