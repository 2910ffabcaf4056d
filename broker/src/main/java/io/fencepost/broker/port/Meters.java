package io.fencepost.broker.port;

/**
 * Hears what a broker does, as it does it. Called from any thread, on the hottest paths and under
 * locks: implementations neither block nor allocate.
 */
public interface Meters {
  /** Nobody listens. */
  Meters NONE = new Meters() {};

  /** How a transaction ended. */
  enum Ending {
    COMMITTED,
    /** Its producer wanted it. */
    ABORTED,
    /** Nobody ended it in time. */
    TIMED_OUT,
    /** Another producer took over its transactional id. */
    FENCED
  }

  /**
   * A request was answered.
   *
   * @param apiId the API's number in the protocol
   * @param nanos from its last byte to the last byte of the answer, waits included
   */
  default void onRequest(short apiId, long nanos) {}

  /** A batch or marker was checked and written to its log, or refused. */
  default void onAppend(long nanos) {}

  /** A force of a log to the disk has returned. */
  default void onForce(long nanos) {}

  /** The decision to end a transaction is durable. */
  default void onTransactionEnd(Ending ending) {}
}
