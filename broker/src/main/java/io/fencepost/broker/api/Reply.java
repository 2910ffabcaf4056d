package io.fencepost.broker.api;

import io.fencepost.broker.wire.WireMessage;

/**
 * The answer to one request: exactly one of the methods is called, exactly once, from any thread.
 *
 * @param <R> the response
 */
public interface Reply<R extends WireMessage> {
  void send(R response);

  /** The request asked for no answer (acks=0). */
  void sendNothing();

  /** Ends the connection without an answer; the reason is for the log. */
  void close(String reason);
}
