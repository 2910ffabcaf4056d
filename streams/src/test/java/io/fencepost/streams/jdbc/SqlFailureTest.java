package io.fencepost.streams.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.TryAgainLater;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import org.junit.jupiter.api.Test;

class SqlFailureTest {
  @Test
  void what_may_pass_is_tried_again() {
    for (String state :
        List.of("08006", "40001", "40P01", "53300", "57P01", "57014", "55P03", "HYT00", "90067")) {
      assertThat(of(state)).as(state).isEqualTo(SqlFailure.RETRY);
    }
    assertThat(SqlFailure.of(new SQLTransientConnectionException("pool is empty")))
        .isEqualTo(SqlFailure.RETRY);
    assertThat(SqlFailure.of(new SQLRecoverableException("gone"))).isEqualTo(SqlFailure.RETRY);
    assertThat(SqlFailure.of(new TryAgainLater("soon", null))).isEqualTo(SqlFailure.RETRY);
  }

  @Test
  void a_wrong_statement_or_account_is_nobody_s_row() {
    for (String state : List.of("42P01", "42601", "42501", "0A000", "28P01", "3D000")) {
      assertThat(of(state)).as(state).isEqualTo(SqlFailure.REFUSED);
    }
    assertThat(SqlFailure.of(new OutOfMemoryError())).isEqualTo(SqlFailure.REFUSED);
  }

  @Test
  void data_that_the_database_or_the_writer_refuses_is_poison() {
    for (String state : List.of("22001", "22P02", "23505", "23503", "25P02", "P0001", "")) {
      assertThat(of(state)).as(state).isEqualTo(SqlFailure.POISON);
    }
    assertThat(SqlFailure.of(new SQLException("no state"))).isEqualTo(SqlFailure.POISON);
    assertThat(SqlFailure.of(new IllegalArgumentException("no amount")))
        .isEqualTo(SqlFailure.POISON);
  }

  @Test
  void the_outermost_sql_error_decides_however_it_is_wrapped() {
    BatchUpdateException batch =
        new BatchUpdateException("batch", "40001", new int[0], new SQLException("x", "23505"));
    assertThat(SqlFailure.of(new RuntimeException("in a framework", batch)))
        .isEqualTo(SqlFailure.RETRY);
  }

  private static SqlFailure of(String state) {
    return SqlFailure.of(new SQLException("it failed", state));
  }
}
