package io.fencepost.broker.api;

import io.fencepost.broker.wire.WireMessage;

/**
 * The answer to one request: exactly one of those that end it is called, exactly once, from any
 * thread.
 *
 * @param <R> the response
 */
public interface Reply<R extends WireMessage> {
  /** About what one structure of an answer takes, with its bytes on the wire. */
  int STRUCT_BYTES = 256;

  void send(R response);

  /** The request asked for no answer (acks=0). */
  void sendNothing();

  /**
   * Takes memory for a part of the answer that may be much larger than what asked for it.
   *
   * @throws io.fencepost.broker.wire.WireException if requests hold as much as they may; the router
   *     then ends the connection, so a handler lets it pass
   */
  default void claim(long sizeBytes) {}

  /**
   * Runs this, once, if the client leaves before the answer is given. For what would wait long: at
   * most one per request, given before the answer.
   */
  default void onAbandoned(Runnable action) {}

  /** Ends the connection without an answer; the reason is for the log. */
  void close(String reason);
}
