package io.fencepost.txn.txn;

import io.fencepost.broker.wire.TopicPartition;
import java.util.SortedSet;

/** What can happen to a transactional id. */
public sealed interface TxnEvent {
  /** Dispatch without a pattern switch; a new event does not compile until it is handled. */
  <T> T on(Handler<T> handler);

  /**
   * InitProducerId.
   *
   * @param claimed who the producer says it is (KIP-360), or NONE
   */
  record Init(String transactionalId, ProducerIdentity claimed, int timeoutMs) implements TxnEvent {
    @Override
    public <T> T on(Handler<T> handler) {
      return handler.init(this);
    }
  }

  /**
   * AddPartitionsToTxn, AddOffsetsToTxn, or the first batch of a transaction in a partition.
   *
   * @param clientVersion 2 if the partitions were added by writing to them
   */
  record AddPartitions(
      ProducerIdentity producer, SortedSet<TopicPartition> partitions, int clientVersion)
      implements TxnEvent {
    @Override
    public <T> T on(Handler<T> handler) {
      return handler.addPartitions(this);
    }
  }

  /**
   * EndTxn.
   *
   * @param clientVersion 2 from version 5 on: the epoch moves with every end
   */
  record End(ProducerIdentity producer, boolean commit, int clientVersion) implements TxnEvent {
    @Override
    public <T> T on(Handler<T> handler) {
      return handler.end(this);
    }
  }

  /** Every partition of the transaction has its marker, or is deleted. */
  record MarkersDone() implements TxnEvent {
    @Override
    public <T> T on(Handler<T> handler) {
      return handler.markersDone(this);
    }
  }

  /** Time has passed: is the transaction overdue? */
  record Overdue() implements TxnEvent {
    @Override
    public <T> T on(Handler<T> handler) {
      return handler.overdue(this);
    }
  }

  /**
   * Time has passed: is the id to be forgotten?
   *
   * @param idleMs how long an unused id is remembered
   */
  record Expire(long idleMs) implements TxnEvent {
    @Override
    public <T> T on(Handler<T> handler) {
      return handler.expire(this);
    }
  }

  /** One method for each event. */
  interface Handler<T> {
    T init(Init event);

    T addPartitions(AddPartitions event);

    T end(End event);

    T markersDone(MarkersDone event);

    T overdue(Overdue event);

    T expire(Expire event);
  }
}
