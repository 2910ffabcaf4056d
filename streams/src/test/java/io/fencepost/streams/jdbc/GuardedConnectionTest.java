package io.fencepost.streams.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.engine.CastDataProvider;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardedConnectionTest {
  private Connection real;
  private Connection guarded;

  @BeforeEach
  void open() throws SQLException {
    real = DriverManager.getConnection("jdbc:h2:mem:");
    real.setAutoCommit(false);
    guarded = GuardedConnection.of(real);
  }

  @AfterEach
  void close() throws SQLException {
    real.close();
  }

  @Test
  void no_way_leads_back_to_the_connection_that_can_commit() throws SQLException {
    refuses(guarded);
    refuses(guarded.unwrap(Connection.class));
    refuses((Connection) guarded.unwrap(CastDataProvider.class));
    refuses(guarded.getMetaData().getConnection());
    try (Statement statement = guarded.createStatement();
        ResultSet result = statement.executeQuery("SELECT 1")) {
      refuses(statement.getConnection());
      refuses(result.getStatement().getConnection());
      refuses(statement.unwrap(Statement.class).getConnection());
    }
    try (PreparedStatement statement = guarded.prepareStatement("SELECT 1");
        CallableStatement call = guarded.prepareCall("SELECT 1")) {
      refuses(statement.getConnection());
      refuses(call.getConnection());
    }
  }

  private static void refuses(Connection connection) {
    assertThatThrownBy(connection::commit)
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("commit is the sink's");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "commit",
        " -- of the rows\n Commit work;",
        "/* both */ ROLLBACK",
        "INSERT INTO t VALUES (';--', $$it's$$); COMMIT",
        "SET AUTOCOMMIT TRUE",
        "start transaction",
        "PREPARE TRANSACTION 'x'",
        "BEGIN; INSERT INTO t VALUES (1); COMMIT",
        "begin transaction",
      })
  void sql_that_ends_the_transaction_is_refused_before_it_runs(String sql) throws SQLException {
    try (Statement statement = guarded.createStatement()) {
      isRefused(() -> statement.execute(sql));
      isRefused(() -> statement.executeUpdate(sql));
      isRefused(() -> statement.addBatch(sql));
    }
    isRefused(() -> guarded.prepareStatement(sql));
    isRefused(() -> guarded.prepareCall(sql));
  }

  private static void isRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("is the sink's: it commits the rows");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO commits VALUES ('; COMMIT', \"; commit\")",
        "SAVEPOINT a; ROLLBACK TO a",
        "BEGIN charge(1); END;",
        "UPDATE t SET v = $f$; COMMIT$f$ -- ; commit",
        "SELECT 'open",
        "",
      })
  void other_sql_passes(String sql) {
    assertThat(SqlText.endOfTransaction(sql)).isNull();
  }

  @Test
  void a_class_of_the_driver_is_refused_and_what_to_ask_for_is_said() {
    assertThatThrownBy(() -> guarded.unwrap(JdbcConnection.class))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("unwrap to an interface");
  }

  @Test
  void what_it_gives_works_as_ever() throws SQLException {
    try (Statement statement = guarded.createStatement()) {
      statement.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)");
    }
    try (PreparedStatement insert = guarded.prepareStatement("INSERT INTO t VALUES (?)")) {
      insert.setInt(1, 7);
      assertThat(insert.executeUpdate()).isEqualTo(1);
      assertThatThrownBy(insert::executeUpdate).hasMessageContaining("primary key");
    }
    try (Statement statement = guarded.createStatement();
        ResultSet found = statement.executeQuery("SELECT id FROM t")) {
      assertThat(found.next()).isTrue();
      assertThat(found.getInt(1)).isEqualTo(7);
    }
    Wrapper same = guarded.unwrap(Wrapper.class);
    assertThat(same).isSameAs(guarded).isEqualTo(guarded);
    assertThat(guarded).isNotEqualTo(real);
  }
}
