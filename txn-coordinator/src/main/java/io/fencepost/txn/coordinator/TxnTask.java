package io.fencepost.txn.coordinator;

import io.fencepost.broker.port.Meters;
import io.fencepost.broker.testing.Rule;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.shard.NewRecord;
import io.fencepost.txn.shard.ShardDecision;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.ShardTask;
import io.fencepost.txn.txn.TxnDecision;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnEvent;
import io.fencepost.txn.txn.TxnState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One event of one transactional id on its way through the shard: decided, logged, its markers
 * written, answered. The id's key is held from the logged Prepare until the completion is in the
 * log, so the next request of the id never meets a transaction that is half ended.
 */
final class TxnTask implements ShardTask<TxnShard> {
  private final TxnCoordinator coordinator;
  private final ShardRuntime<TxnShard> runtime;
  private final String transactionalId;
  private final TxnEvent event;
  private final TxnReply reply;

  TxnTask(
      TxnCoordinator coordinator,
      ShardRuntime<TxnShard> runtime,
      String transactionalId,
      TxnEvent event,
      TxnReply reply) {
    this.coordinator = coordinator;
    this.runtime = runtime;
    this.transactionalId = transactionalId;
    this.event = event;
    this.reply = reply;
  }

  @Override
  public ShardDecision decide(TxnShard shard) {
    return decideEvent(shard.entry(transactionalId), List.of());
  }

  private ShardDecision decideEvent(@Nullable TxnEntry entry, List<NewRecord> before) {
    TxnDecision decision = decision(entry, event);
    if (decision instanceof TxnDecision.Refuse refuse
        && refuse.error() == WireError.INVALID_TXN_STATE) {
      coordinator.refusals().refused(transactionalId, event, entry);
    }
    return plan(decision, before);
  }

  @Override
  public void refused(WireError error) {
    reply.done(error, null);
  }

  private TxnDecision decision(@Nullable TxnEntry entry, TxnEvent what) {
    return coordinator.machine().decide(entry, what, coordinator.nowMs());
  }

  /**
   * @param before what has to be logged in any case, ahead of the decision's own record
   */
  private ShardDecision plan(TxnDecision decision, List<NewRecord> before) {
    return decision.on(new Plan(before));
  }

  /** The end is decided, here and now. */
  private void end(TxnEntry prepared, TxnDecision.Then then) {
    coordinator.meters().onTransactionEnd(ending(prepared));
    finish(prepared, then);
  }

  private Meters.Ending ending(TxnEntry prepared) {
    if (prepared.state() == TxnState.PREPARE_COMMIT) {
      return Meters.Ending.COMMITTED;
    }
    if (event instanceof TxnEvent.Overdue) {
      return Meters.Ending.TIMED_OUT;
    }
    boolean byNewcomer = event instanceof TxnEvent.Init init && init.claimed().isNone();
    return byNewcomer ? Meters.Ending.FENCED : Meters.Ending.ABORTED;
  }

  private void finish(TxnEntry prepared, TxnDecision.Then then) {
    coordinator.end(
        runtime,
        prepared,
        error -> {
          if (error == WireError.NONE) {
            runtime.continueHeld(transactionalId, new Completion(prepared, then));
          } else {
            runtime.free(transactionalId);
            reply.done(error, null);
          }
        });
  }

  /** Turns a decision into records and an answer. */
  private final class Plan implements TxnDecision.Handler<ShardDecision> {
    private final List<NewRecord> before;

    Plan(List<NewRecord> before) {
      this.before = before;
    }

    @Override
    public ShardDecision refuse(TxnDecision.Refuse decision) {
      return ShardDecision.write(before, () -> reply.done(decision.error(), null));
    }

    @Override
    public ShardDecision answer(TxnDecision.Answer decision) {
      return ShardDecision.write(before, () -> reply.done(WireError.NONE, decision.entry()));
    }

    @Override
    public ShardDecision log(TxnDecision.Log decision) {
      List<NewRecord> records = new ArrayList<>(before);
      records.add(TxnCodec.toRecord(decision.next()));
      if (decision.then() == TxnDecision.Then.ANSWER) {
        return ShardDecision.write(records, () -> reply.done(WireError.NONE, decision.next()));
      }
      if (!Rule.DECIDED_BEFORE_MARKED.holds()) {
        coordinator.end(runtime, decision.next(), error -> {});
      }
      return ShardDecision.write(records, () -> end(decision.next(), decision.then()))
          .hold(ShardDecision.Hold.UNTIL_CONTINUED);
    }

    @Override
    public ShardDecision forget(TxnDecision.Forget decision) {
      List<NewRecord> records = new ArrayList<>(before);
      records.add(TxnCodec.tombstone(transactionalId));
      return ShardDecision.write(records, () -> reply.done(WireError.NONE, null));
    }

    @Override
    public ShardDecision finishFirst(TxnDecision.FinishFirst decision) {
      return ShardDecision.write(
              before, () -> finish(decision.prepared(), TxnDecision.Then.FINISH_AND_RETRY))
          .hold(ShardDecision.Hold.UNTIL_CONTINUED);
    }
  }

  /** The markers are in: log the completion, then answer or look at the event again. */
  private final class Completion implements ShardTask<TxnShard> {
    private final TxnEntry prepared;
    private final TxnDecision.Then then;

    Completion(TxnEntry prepared, TxnDecision.Then then) {
      this.prepared = prepared;
      this.then = then;
    }

    @Override
    public ShardDecision decide(TxnShard shard) {
      TxnEntry entry = shard.entry(transactionalId);
      TxnDecision decision = decision(entry, new TxnEvent.MarkersDone());
      if (!(decision instanceof TxnDecision.Log log)) {
        // Somebody else finished it: nothing is owed here.
        return decideEvent(entry, List.of());
      }
      TxnEntry completed = log.next();
      List<NewRecord> completion = List.of(TxnCodec.toRecord(completed));
      if (then == TxnDecision.Then.FINISH_AND_RETRY) {
        return decideEvent(completed, completion);
      }
      shard.expect(completed);
      return ShardDecision.write(completion, () -> reply.done(WireError.NONE, completed))
          .hold(ShardDecision.Hold.UNTIL_APPENDED);
    }

    /**
     * The end itself is decided and done: whoever asked for it need not know that the log could not
     * take its completion, which the next request makes up for.
     */
    @Override
    public void refused(WireError error) {
      boolean isDone = then == TxnDecision.Then.FINISH;
      if (isDone && decision(prepared, new TxnEvent.MarkersDone()) instanceof TxnDecision.Log log) {
        reply.done(WireError.NONE, log.next());
      } else {
        reply.done(error, null);
      }
    }
  }
}
