package io.fencepost.streams.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import javax.sql.DataSource;

/** One transaction at a time, each in a connection of its own. */
record Database(DataSource source) {
  /** What is done inside. */
  @FunctionalInterface
  interface Work<R> {
    R in(Connection connection) throws Exception;
  }

  /** Commits what {@code work} did, or rolls it back if it throws. */
  <R> R transaction(Work<R> work) throws Exception {
    try (Connection connection = open()) {
      connection.setAutoCommit(false);
      R result;
      try {
        result = work.in(connection);
        connection.commit();
      } catch (Throwable e) {
        rollBack(connection, e);
        throw e;
      }
      giveBack(connection);
      return result;
    }
  }

  /** Each statement is committed for itself. */
  <R> R statements(Work<R> work) throws Exception {
    try (Connection connection = open()) {
      connection.setAutoCommit(true);
      return work.in(connection);
    }
  }

  /** A database that gives no connection may give one later, unless it says that it never will. */
  private Connection open() throws SQLException {
    try {
      return source.getConnection();
    } catch (SQLException e) {
      if (SqlFailure.of(e) == SqlFailure.REFUSED) {
        throw e;
      }
      throw new SQLTransientException("no connection: " + e.getMessage(), e.getSQLState(), e);
    }
  }

  private static void rollBack(Connection connection, Throwable failure) {
    try {
      connection.rollback();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  /** As a pool expects it; the transaction is committed whether or not this goes well. */
  @SuppressWarnings("EmptyCatch")
  private static void giveBack(Connection connection) {
    try {
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      // A connection that fails here is closed next, and its pool finds out.
    }
  }
}
