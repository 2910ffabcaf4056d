package io.fencepost.streams.jdbc;

import io.fencepost.streams.TryAgainLater;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import org.jspecify.annotations.Nullable;

/**
 * What a failure while storing means. Causes are unwrapped; the outermost SQL error decides, by its
 * class and by its SQLSTATE (ISO 9075, with the classes that PostgreSQL adds).
 */
enum SqlFailure {
  /** The same may go well later: connection, deadlock, serialization, resources, lock time-out. */
  RETRY,
  /** The statement, table or account is wrong, whatever the message. */
  REFUSED,
  /** This message cannot be stored. */
  POISON;

  static SqlFailure of(Throwable error) {
    for (Throwable cause = error; cause != null; cause = next(cause)) {
      if (cause instanceof TryAgainLater) {
        return RETRY;
      }
      if (cause instanceof SQLException sql) {
        return of(sql);
      }
    }
    return error instanceof Error ? REFUSED : POISON;
  }

  private static SqlFailure of(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    if (state.startsWith("28") || state.startsWith("3D")) {
      return REFUSED;
    }
    if (error instanceof SQLTransientException
        || error instanceof SQLRecoverableException
        || error instanceof SQLNonTransientConnectionException
        || mayPass(state)) {
      return RETRY;
    }
    return state.startsWith("42") || state.startsWith("0A") ? REFUSED : POISON;
  }

  private static boolean mayPass(String state) {
    return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
      case "08", "40", "53", "57", "58" -> true;
      // Time-outs; 55P03 lock not available, 25P03 ended by the server as it was idle; H2 has a
      // connection or the database closed.
      default ->
          switch (state) {
            case "HYT00", "HYT01", "55P03", "25P03", "90067", "90098", "90121" -> true;
            default -> false;
          };
    };
  }

  private static @Nullable Throwable next(Throwable error) {
    Throwable cause = error.getCause();
    return cause == error ? null : cause;
  }
}
