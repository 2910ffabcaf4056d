package io.fencepost.streams.jdbc;

import io.fencepost.streams.Message;
import java.sql.Connection;

/** Stores one message; see {@link JdbcSink}. Called by one worker's thread at a time. */
@FunctionalInterface
public interface RowWriter<K, V> {
  /**
   * Executes statements on the connection, whose transaction the sink ends: commit, rollback and
   * close are refused.
   *
   * @throws Exception a database error that may pass and {@link io.fencepost.streams.TryAgainLater}
   *     are tried again; any other says that this message cannot be stored
   */
  void write(Connection connection, Message<K, V> message) throws Exception;
}
