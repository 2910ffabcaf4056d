package io.fencepost.streams.jdbc;

import io.fencepost.streams.Origin;

/** A message that cannot be stored, in a sink without a dead-letter table. */
final class PoisonRow extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PoisonRow(Origin origin, Throwable cause) {
    super(
        "message "
            + origin
            + " cannot be stored: "
            + cause
            + ". Everything before it is stored, nothing of it is. Name a table for such messages"
            + " (JdbcSink.deadLetterTable), or correct the code and start again: the sink goes on"
            + " at this message",
        cause);
  }
}
