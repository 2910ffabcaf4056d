package io.fencepost.streams.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Locale;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The sink's own tables: one row for each partition of each sink, and dead letters. Statements are
 * those of standard SQL; a row's lock is what two sinks meet at.
 *
 * @param clusterId of the Kafka cluster whose offsets these are
 * @param owner who takes partitions, for people who look at the table
 */
record SinkTables(
    String sink, String clusterId, String owner, String offsets, @Nullable String deadLetters) {
  /** For each statement of the sink's own: a lock that is held longer is waited for anew. */
  private static final int STATEMENT_SECONDS = 10;

  private static final int REASON_LIMIT = 2_000;
  private static final String ROW = " WHERE sink = ? AND topic = ? AND part = ?";

  /** Creates what is missing, in a connection that commits each statement. */
  void create(Connection connection) throws SQLException {
    create(
        connection,
        offsets,
        "sink VARCHAR(180) NOT NULL, topic VARCHAR(249) NOT NULL, part INTEGER NOT NULL,"
            + " next_offset BIGINT NOT NULL, owner_epoch BIGINT NOT NULL,"
            + " owner VARCHAR(300) NOT NULL, cluster_id VARCHAR(100) NOT NULL,"
            + " PRIMARY KEY (sink, topic, part)");
    if (deadLetters != null) {
      String bytes = bytesType(connection);
      create(
          connection,
          deadLetters,
          "sink VARCHAR(180) NOT NULL, topic VARCHAR(249) NOT NULL, part INTEGER NOT NULL,"
              + " record_offset BIGINT NOT NULL, record_time_ms BIGINT NOT NULL, record_key "
              + bytes
              + ", record_value "
              + bytes
              + ", reason VARCHAR("
              + REASON_LIMIT
              + ") NOT NULL, PRIMARY KEY (sink, topic, part, record_offset)");
    }
  }

  private static void create(Connection connection, String table, String columns)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(STATEMENT_SECONDS);
      statement.executeQuery("SELECT 1 FROM " + table + " WHERE 1 = 0").close();
    } catch (SQLException missing) {
      if (SqlFailure.of(missing) == SqlFailure.RETRY) {
        throw missing;
      }
      try (Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE " + table + " (" + columns + ")");
      } catch (SQLException notCreated) {
        // Another worker may have been first.
        try (Statement statement = connection.createStatement()) {
          statement.executeQuery("SELECT 1 FROM " + table + " WHERE 1 = 0").close();
        } catch (SQLException stillMissing) {
          notCreated.addSuppressed(missing);
          throw notCreated;
        }
      }
    }
  }

  private static String bytesType(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
    if (product.contains("postgres")) {
      return "BYTEA";
    }
    if (product.contains("mysql") || product.contains("mariadb")) {
      return "LONGBLOB";
    }
    return product.contains("microsoft") ? "VARBINARY(MAX)" : "BLOB";
  }

  /**
   * Takes a partition from whoever had it: waits until a transaction at hand of that owner has
   * ended, and its next one is refused. Null if the table does not know the partition yet.
   *
   * @throws IllegalStateException if the row is of another Kafka cluster
   */
  @Nullable Claim take(Connection connection, TopicPartition partition) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE " + offsets + " SET owner_epoch = owner_epoch + 1, owner = ?" + ROW)) {
      update.setQueryTimeout(STATEMENT_SECONDS);
      update.setString(1, owner);
      setRow(update, 2, partition);
      if (update.executeUpdate() == 0) {
        return null;
      }
    }
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT owner_epoch, next_offset, cluster_id FROM " + offsets + ROW)) {
      select.setQueryTimeout(STATEMENT_SECONDS);
      setRow(select, 1, partition);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        requireCluster(partition, row.getString(3));
        return new Claim(row.getLong(1), row.getLong(2));
      }
    }
  }

  private void requireCluster(TopicPartition partition, String stored) {
    if (!stored.equals(clusterId)) {
      throw new IllegalStateException(
          "table "
              + offsets
              + " has offsets of "
              + partition
              + " for sink "
              + sink
              + " from the Kafka cluster "
              + stored
              + ", and this one is "
              + clusterId
              + ". Give the sink another name, or correct the rows if the topic was moved as it"
              + " is");
    }
  }

  /** The first claim of a partition; fails with SQLSTATE class 23 if another sink was first. */
  Claim insert(Connection connection, TopicPartition partition, long nextOffset)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO "
                + offsets
                + " (sink, topic, part, next_offset, owner_epoch, owner, cluster_id)"
                + " VALUES (?, ?, ?, ?, 1, ?, ?)")) {
      insert.setQueryTimeout(STATEMENT_SECONDS);
      setRow(insert, 1, partition);
      insert.setLong(4, nextOffset);
      insert.setString(5, owner);
      insert.setString(6, clusterId);
      insert.executeUpdate();
    }
    return new Claim(1, nextOffset);
  }

  /**
   * Moves the offset, if the partition is still this sink's.
   *
   * @throws Fenced if it is not
   */
  void advance(Connection connection, TopicPartition partition, Claim claim, long nextOffset)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE "
                + offsets
                + " SET next_offset = ?"
                + ROW
                + " AND owner_epoch = ? AND next_offset = ?")) {
      update.setQueryTimeout(STATEMENT_SECONDS);
      update.setLong(1, nextOffset);
      setRow(update, 2, partition);
      update.setLong(5, claim.epoch());
      update.setLong(6, claim.nextOffset());
      if (update.executeUpdate() != 1) {
        throw new Fenced(partition, claim);
      }
    }
  }

  /**
   * Stores a message as it came, unless it is there: offsets that were set back bring it again. A
   * savepoint, as some databases give a transaction up with its first failed statement.
   */
  void bury(Connection connection, ConsumerRecord<byte[], byte[]> record, String reason)
      throws SQLException {
    Savepoint before = connection.setSavepoint();
    try {
      insert(connection, record, reason);
    } catch (SQLException e) {
      String state = e.getSQLState();
      if (state == null || !state.startsWith("23")) {
        throw e;
      }
      connection.rollback(before);
      if (!isBuried(connection, record)) {
        throw e;
      }
    }
  }

  private boolean isBuried(Connection connection, ConsumerRecord<byte[], byte[]> record)
      throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT reason FROM " + deadLetters + ROW + " AND record_offset = ?")) {
      select.setQueryTimeout(STATEMENT_SECONDS);
      setRow(select, 1, new TopicPartition(record.topic(), record.partition()));
      select.setLong(4, record.offset());
      try (ResultSet found = select.executeQuery()) {
        return found.next();
      }
    }
  }

  private void insert(Connection connection, ConsumerRecord<byte[], byte[]> record, String reason)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO "
                + deadLetters
                + " (sink, topic, part, record_offset, record_time_ms, record_key, record_value,"
                + " reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")) {
      insert.setQueryTimeout(STATEMENT_SECONDS);
      setRow(insert, 1, new TopicPartition(record.topic(), record.partition()));
      insert.setLong(4, record.offset());
      insert.setLong(5, record.timestamp());
      insert.setBytes(6, record.key());
      insert.setBytes(7, record.value());
      insert.setString(8, cut(reason));
      insert.executeUpdate();
    }
  }

  private static String cut(String reason) {
    String legal = reason.replace('\0', ' ');
    return legal.length() <= REASON_LIMIT ? legal : legal.substring(0, REASON_LIMIT);
  }

  private void setRow(PreparedStatement statement, int first, TopicPartition partition)
      throws SQLException {
    statement.setString(first, sink);
    statement.setString(first + 1, partition.topic());
    statement.setInt(first + 2, partition.partition());
  }
}
