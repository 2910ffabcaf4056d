package io.fencepost.txn.txn;

import io.fencepost.broker.wire.WireError;

/** What {@link TxnMachine} makes of an event. */
public sealed interface TxnDecision {
  /** Dispatch without a pattern switch. */
  <T> T on(Handler<T> handler);

  /** The event changes nothing and is refused. */
  record Refuse(WireError error) implements TxnDecision {
    @Override
    public <T> T on(Handler<T> handler) {
      return handler.refuse(this);
    }
  }

  /** The event changes nothing and succeeds: it was done before, or there is nothing to do. */
  record Answer(TxnEntry entry) implements TxnDecision {
    @Override
    public <T> T on(Handler<T> handler) {
      return handler.answer(this);
    }
  }

  /** Log the entry; what follows once it is applied depends on {@link Then}. */
  record Log(TxnEntry next, Then then) implements TxnDecision {
    @Override
    public <T> T on(Handler<T> handler) {
      return handler.log(this);
    }
  }

  /** Log a tombstone: the id is forgotten. */
  record Forget() implements TxnDecision {
    @Override
    public <T> T on(Handler<T> handler) {
      return handler.forget(this);
    }
  }

  /** An end that was decided earlier has to be finished before this event is looked at again. */
  record FinishFirst(TxnEntry prepared) implements TxnDecision {
    @Override
    public <T> T on(Handler<T> handler) {
      return handler.finishFirst(this);
    }
  }

  /** What follows a logged entry. */
  enum Then {
    /** Answer with it. */
    ANSWER,
    /** Write the markers and log the completion, then answer. */
    FINISH,
    /** Write the markers and log the completion, then decide the same event again. */
    FINISH_AND_RETRY
  }

  /** One method for each decision. */
  interface Handler<T> {
    T refuse(Refuse decision);

    T answer(Answer decision);

    T log(Log decision);

    T forget(Forget decision);

    T finishFirst(FinishFirst decision);
  }
}
