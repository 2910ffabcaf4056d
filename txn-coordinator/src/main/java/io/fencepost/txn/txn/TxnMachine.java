package io.fencepost.txn.txn;

import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.testing.Rule;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an event does to a transactional id: (entry, event, now) to a {@link TxnDecision}.
 * Pure: keeps nothing and changes nothing; the ids it hands out come from its {@link IdSource}.
 *
 * <pre>
 * event \ state    none      EMPTY        ONGOING         PREPARE_*    COMPLETE_COMMIT  COMPLETE_ABORT
 * Init             EMPTY     EMPTY        PREPARE_ABORT+  finish first EMPTY            EMPTY
 * AddPartitions    mapping   ONGOING      ONGOING / ok    finish first ONGOING          ONGOING
 * End commit       mapping   invalid      PREPARE_COMMIT  finish first ok if retry (a)  invalid
 * End abort        mapping   (b)          PREPARE_ABORT   finish first invalid (c)      ok if retry (b)
 * MarkersDone      ok        ok           ok              COMPLETE_*   ok               ok
 * Overdue          ok        ok           PREPARE_ABORT*  finish first ok               ok
 * Expire           ok        forget*      ok              ok           forget*          forget*
 *
 * mapping = INVALID_PRODUCER_ID_MAPPING   invalid = INVALID_TXN_STATE   ok = succeeds, changes nothing
 * +  fenced by a raised epoch; when that is finished the same Init is decided again
 * *  if the time has come, else ok
 * (a) up to v4: the same producer; v5: the epoch before, as the end raised it; v5 with the new epoch
 *     is an end of nothing: invalid
 * (b) v5 by the current producer: PREPARE_ABORT without partitions, to raise the epoch; up to v4
 *     EMPTY is invalid and COMPLETE_ABORT ok
 * (c) v5 by the current producer: as (b)
 * Whoever claims an older or never given epoch: PRODUCER_FENCED; another producer id:
 * INVALID_PRODUCER_ID_MAPPING (Init: PRODUCER_FENCED). These checks come before the table.
 * </pre>
 */
public final class TxnMachine {
  private final IdSource ids;
  private final int maxTimeoutMs;

  public TxnMachine(IdSource ids, int maxTimeoutMs) {
    this.ids = ids;
    this.maxTimeoutMs = maxTimeoutMs;
  }

  /**
   * @param entry null if the id is unknown
   * @param nowMs wall time
   */
  public TxnDecision decide(@Nullable TxnEntry entry, TxnEvent event, long nowMs) {
    TxnDecision decision = event.on(new Step(entry, nowMs));
    if (decision instanceof TxnDecision.Log log) {
      TxnState before = entry == null ? null : entry.state();
      Invariant.check(
          log.next().state().mayFollow(before),
          "%s must not move from %s to %s",
          log.next().transactionalId(),
          String.valueOf(before),
          log.next().state());
    }
    return decision;
  }

  /** Whether each partition is in the ongoing transaction of exactly this producer. */
  public static SortedMap<TopicPartition, WireError> verify(
      @Nullable TxnEntry entry, ProducerIdentity producer, SortedSet<TopicPartition> partitions) {
    WireError refusal =
        entry == null ? WireError.INVALID_PRODUCER_ID_MAPPING : whoIs(entry, producer);
    SortedMap<TopicPartition, WireError> answer = new TreeMap<>();
    for (TopicPartition partition : partitions) {
      boolean isIn =
          entry != null
              && entry.state() == TxnState.ONGOING
              && entry.partitions().contains(partition);
      WireError verdict = isIn ? WireError.NONE : WireError.TRANSACTION_ABORTABLE;
      answer.put(partition, refusal == WireError.NONE ? verdict : refusal);
    }
    return answer;
  }

  private static WireError whoIs(TxnEntry entry, ProducerIdentity producer) {
    if (producer.producerId() != entry.producer().producerId()) {
      return WireError.INVALID_PRODUCER_ID_MAPPING;
    }
    return producer.epoch() == entry.producer().epoch()
        ? WireError.NONE
        : WireError.PRODUCER_FENCED;
  }

  private static TxnDecision refuse(WireError error) {
    return new TxnDecision.Refuse(error);
  }

  private static TxnDecision log(TxnEntry next, TxnDecision.Then then) {
    return new TxnDecision.Log(next, then);
  }

  /** One decision; the fields are its inputs. */
  private final class Step implements TxnEvent.Handler<TxnDecision> {
    private final @Nullable TxnEntry entry;
    private final long nowMs;

    Step(@Nullable TxnEntry entry, long nowMs) {
      this.entry = entry;
      this.nowMs = nowMs;
    }

    @Override
    public TxnDecision init(TxnEvent.Init event) {
      if (event.timeoutMs() <= 0 || event.timeoutMs() > maxTimeoutMs) {
        return refuse(WireError.INVALID_TRANSACTION_TIMEOUT);
      }
      if (entry == null) {
        return log(
            TxnEntry.fresh(event.transactionalId(), ids.nextId(), event.timeoutMs(), nowMs),
            TxnDecision.Then.ANSWER);
      }
      if (entry.state().isPrepared()) {
        return new TxnDecision.FinishFirst(entry);
      }
      boolean isOwner = event.claimed().equals(entry.producer());
      if (!event.claimed().isNone() && !isOwner) {
        boolean isRetry = entry.state() != TxnState.ONGOING && event.claimed().equals(entry.last());
        return isRetry ? new TxnDecision.Answer(entry) : refuse(WireError.PRODUCER_FENCED);
      }
      if (entry.state() == TxnState.ONGOING) {
        return fenceThenInit(isOwner);
      }
      return log(
          entry.initialised(
              EpochRule.initialise(entry.producer(), isOwner, ids), event.timeoutMs(), nowMs),
          TxnDecision.Then.ANSWER);
    }

    /**
     * The owner gets the epoch of the abort itself, so that its repeated request still finds it as
     * the last one; for a newcomer that epoch stays unused.
     */
    private TxnDecision fenceThenInit(boolean isOwner) {
      TxnEntry open = known();
      EpochRule.Change change =
          isOwner ? EpochRule.end(open, 2, ids) : EpochRule.fence(open.producer());
      return log(
          open.prepared(false, change, open.clientVersion(), nowMs),
          TxnDecision.Then.FINISH_AND_RETRY);
    }

    @Override
    public TxnDecision addPartitions(TxnEvent.AddPartitions event) {
      if (entry == null) {
        return refuse(WireError.INVALID_PRODUCER_ID_MAPPING);
      }
      if (entry.state().isPrepared()) {
        return Rule.NOBODY_JOINS_AN_ENDING.holds()
            ? new TxnDecision.FinishFirst(entry)
            : new TxnDecision.Answer(entry);
      }
      WireError refusal = whoIs(entry, event.producer());
      if (refusal != WireError.NONE) {
        return refuse(refusal);
      }
      if (entry.state() == TxnState.ONGOING && entry.partitions().containsAll(event.partitions())) {
        return new TxnDecision.Answer(entry);
      }
      return log(
          entry.with(event.partitions(), event.clientVersion(), nowMs), TxnDecision.Then.ANSWER);
    }

    @Override
    public TxnDecision end(TxnEvent.End event) {
      if (entry == null) {
        return refuse(WireError.INVALID_PRODUCER_ID_MAPPING);
      }
      if (entry.state().isPrepared()) {
        return new TxnDecision.FinishFirst(entry);
      }
      boolean raises = event.clientVersion() >= 2;
      if (raises && isRepeatedEnd(event)) {
        return sameResult(event)
            ? new TxnDecision.Answer(entry)
            : refuse(WireError.INVALID_TXN_STATE);
      }
      WireError refusal = whoIs(entry, event.producer());
      if (refusal != WireError.NONE && isRefused(refusal)) {
        return refuse(refusal);
      }
      if (entry.state() == TxnState.ONGOING || (raises && !event.commit())) {
        return log(
            entry.prepared(
                event.commit(),
                EpochRule.end(entry, event.clientVersion(), ids),
                event.clientVersion(),
                nowMs),
            TxnDecision.Then.FINISH);
      }
      return !raises && sameResult(event)
          ? new TxnDecision.Answer(entry)
          : refuse(WireError.INVALID_TXN_STATE);
    }

    private boolean isRefused(WireError refusal) {
      return refusal != WireError.PRODUCER_FENCED || Rule.END_BY_OWN_EPOCH.holds();
    }

    /**
     * An end that raised the epoch and whose answer was lost; also one that met the coordinator's
     * own abort. Not one whose transaction a newcomer has aborted: that has left nobody behind.
     */
    private boolean isRepeatedEnd(TxnEvent.End event) {
      TxnEntry ended = known();
      boolean hasEnded =
          ended.state() == TxnState.COMPLETE_COMMIT || ended.state() == TxnState.COMPLETE_ABORT;
      return hasEnded && event.producer().equals(ended.last());
    }

    private boolean sameResult(TxnEvent.End event) {
      return known().state()
          == (event.commit() ? TxnState.COMPLETE_COMMIT : TxnState.COMPLETE_ABORT);
    }

    @Override
    public TxnDecision markersDone(TxnEvent.MarkersDone event) {
      if (entry == null || !entry.state().isPrepared()) {
        return nothing();
      }
      return log(entry.completed(EpochRule.complete(entry), nowMs), TxnDecision.Then.ANSWER);
    }

    @Override
    public TxnDecision overdue(TxnEvent.Overdue event) {
      if (entry != null && entry.state().isPrepared()) {
        return new TxnDecision.FinishFirst(entry);
      }
      if (entry == null || entry.state() != TxnState.ONGOING || nowMs < entry.deadlineMs()) {
        return nothing();
      }
      return log(
          entry.prepared(
              false, EpochRule.expel(entry.producer(), ids), entry.clientVersion(), nowMs),
          TxnDecision.Then.FINISH);
    }

    @Override
    public TxnDecision expire(TxnEvent.Expire event) {
      if (entry == null || !entry.state().isIdle() || nowMs - entry.updatedMs() < event.idleMs()) {
        return nothing();
      }
      return new TxnDecision.Forget();
    }

    private TxnDecision nothing() {
      return entry == null
          ? refuse(WireError.INVALID_PRODUCER_ID_MAPPING)
          : new TxnDecision.Answer(entry);
    }

    private TxnEntry known() {
      TxnEntry known = entry;
      if (known == null) {
        throw new IllegalStateException("no entry");
      }
      return known;
    }
  }
}
