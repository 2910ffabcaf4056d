package io.fencepost.txn.txn;

import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/**
 * Where a transactional id stands. The codes are those of Kafka's transaction log.
 *
 * <pre>
 * state           comes from
 * EMPTY           (new), EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT   by InitProducerId
 * ONGOING         EMPTY, ONGOING, COMPLETE_COMMIT, COMPLETE_ABORT by added partitions
 * PREPARE_COMMIT  ONGOING                                         by EndTxn
 * PREPARE_ABORT   ONGOING; EMPTY and COMPLETE_* (EndTxn v5)       by EndTxn, timeout, InitProducerId
 * COMPLETE_COMMIT PREPARE_COMMIT                                  when all markers are in
 * COMPLETE_ABORT  PREPARE_ABORT                                   when all markers are in
 * </pre>
 */
public enum TxnState {
  EMPTY(0, "Empty"),
  ONGOING(1, "Ongoing"),
  PREPARE_COMMIT(2, "PrepareCommit"),
  PREPARE_ABORT(3, "PrepareAbort"),
  COMPLETE_COMMIT(4, "CompleteCommit"),
  COMPLETE_ABORT(5, "CompleteAbort");

  private final byte code;
  private final String label;

  TxnState(int code, String label) {
    this.code = (byte) code;
    this.label = label;
  }

  public byte code() {
    return code;
  }

  /** The name that tools print. */
  public String label() {
    return label;
  }

  /** The end is decided, markers are owed. */
  public boolean isPrepared() {
    return this == PREPARE_COMMIT || this == PREPARE_ABORT;
  }

  /** No transaction: the next one may begin. */
  public boolean isIdle() {
    return this == EMPTY || this == COMPLETE_COMMIT || this == COMPLETE_ABORT;
  }

  /** Whether an entry may move from the state, null for none, to this one. */
  public boolean mayFollow(@Nullable TxnState before) {
    return before == null ? this == EMPTY : predecessors().contains(before);
  }

  private EnumSet<TxnState> predecessors() {
    return switch (this) {
      case EMPTY -> EnumSet.of(EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT);
      case ONGOING -> EnumSet.of(EMPTY, ONGOING, COMPLETE_COMMIT, COMPLETE_ABORT);
      case PREPARE_COMMIT -> EnumSet.of(ONGOING);
      case PREPARE_ABORT -> EnumSet.of(ONGOING, EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT);
      case COMPLETE_COMMIT -> EnumSet.of(PREPARE_COMMIT);
      case COMPLETE_ABORT -> EnumSet.of(PREPARE_ABORT);
    };
  }

  /** The state with this code, or null. */
  public static @Nullable TxnState of(byte code) {
    for (TxnState state : values()) {
      if (state.code == code) {
        return state;
      }
    }
    return null;
  }

  /** The state with the name that tools print, or null. */
  public static @Nullable TxnState labelled(String label) {
    for (TxnState state : values()) {
      if (state.label.equals(label)) {
        return state;
      }
    }
    return null;
  }
}
