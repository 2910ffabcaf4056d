package io.fencepost.streams.jdbc;

import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobStartException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/**
 * Stores a topic in a database, exactly once: the rows of a batch and the offset after it are
 * committed in one transaction of the database, and that offset is where the sink goes on.
 *
 * <pre>{@code
 * SinkHandle handle = JdbcSink.named("charges-to-db")
 *     .from("charges", Serdes.String(), chargeSerde)
 *     .into(dataSource, (connection, charge) -> insert(connection, charge))
 *     .start("bootstrap.servers", "localhost:9092");
 * }</pre>
 *
 * <p>The topic is read read_committed. Offsets are in the table {@code fencepost_offsets} of the
 * same database (created if absent), by sink, topic and partition, each with an owner epoch:
 * whoever is given a partition raises the epoch, and a transaction commits only if its epoch is
 * still the row's. So a sink that hangs, or has lost its partitions without knowing, stores nothing
 * twice.
 *
 * <p>Give it a pool of connections, as each transaction takes one and gives it back. The order of
 * rows is that of each partition. Immutable; one definition may be started several times, also in
 * other processes: they share the partitions.
 */
public final class JdbcSink<K, V> {
  private static final String TABLE_NAME = "[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*){0,2}";

  private final String name;
  private final SinkDefinition<K, V> definition;
  private final String offsetsTable;
  private final @Nullable String deadLetterTable;

  private JdbcSink(
      String name,
      SinkDefinition<K, V> definition,
      String offsetsTable,
      @Nullable String deadLetterTable) {
    this.name = name;
    this.definition = definition;
    this.offsetsTable = offsetsTable;
    this.deadLetterTable = deadLetterTable;
  }

  /** The name is the consumer group, unless application.id is configured, and names its offsets. */
  public static Named named(String name) {
    return new Named(name);
  }

  /** A sink without a topic. */
  public record Named(String name) {
    /** Reads one topic. */
    public <K, V> Reading<K, V> from(String topic, Serde<K> keySerde, Serde<V> valueSerde) {
      return from(List.of(topic), keySerde, valueSerde);
    }

    /** Reads several topics of equal types. */
    public <K, V> Reading<K, V> from(List<String> topics, Serde<K> keySerde, Serde<V> valueSerde) {
      return new Reading<>(name, List.copyOf(topics), keySerde, valueSerde);
    }
  }

  /** A sink without a database. */
  public record Reading<K, V>(
      String name, List<String> topics, Serde<K> keySerde, Serde<V> valueSerde) {
    /** Calls {@code writer} for each message. */
    public JdbcSink<K, V> into(DataSource database, RowWriter<K, V> writer) {
      return intoBatches(
          database,
          (connection, messages) -> {
            for (var message : messages) {
              writer.write(connection, message);
            }
          });
    }

    /** Calls {@code writer} for all messages of a transaction at once. */
    public JdbcSink<K, V> intoBatches(DataSource database, BatchWriter<K, V> writer) {
      SinkDefinition<K, V> definition =
          new SinkDefinition<>(topics, keySerde, valueSerde, database, writer);
      return new JdbcSink<>(name, definition, "fencepost_offsets", null);
    }
  }

  /** The same with another table for offsets; it may be qualified by a schema. */
  public JdbcSink<K, V> offsetsTable(String table) {
    return new JdbcSink<>(name, definition, checked(table), deadLetterTable);
  }

  /**
   * The same with a table (created if absent) for messages that cannot be read, whose row the
   * database refuses (SQLSTATE classes 22 and 23, as a wrong type or a violated constraint) or for
   * which the writer throws. Each is stored there as it came with the reason, in the transaction
   * that also moves past it. Without such a table the sink ends before it with {@link
   * io.fencepost.streams.StopReason#POISON_INPUT}.
   */
  public JdbcSink<K, V> deadLetterTable(String table) {
    return new JdbcSink<>(name, definition, offsetsTable, checked(table));
  }

  private static String checked(String table) {
    if (!table.matches(TABLE_NAME)) {
      throw new IllegalArgumentException(
          "table name \"" + table + "\" must be of letters, digits and _, with at most two dots");
    }
    return table;
  }

  SinkDefinition<K, V> definition() {
    return definition;
  }

  /** Its tables on that cluster. */
  SinkTables tables(String group, String clusterId, String owner) {
    return new SinkTables(group, clusterId, owner, offsetsTable, deadLetterTable);
  }

  /**
   * Checks the topics and starts the workers ({@code num.stream.threads}). Further settings that
   * count here: {@code bootstrap.servers}, {@code application.id}, {@code poll.ms}, {@code
   * task.timeout.ms} (for how long a failing database is tried again), {@code consumer.*}. In
   * partitions that the offsets table does not know it begins at {@code consumer.auto.offset.reset}
   * (earliest).
   *
   * @throws JobStartException if the sink cannot run like this; the message says what to change
   */
  public SinkHandle start(JobConfig config) {
    return new SinkStart<>(this, name, config).start();
  }

  /** As {@link #start(JobConfig)}. */
  public SinkHandle start(String... keysAndValues) {
    if (keysAndValues.length % 2 != 0) {
      throw new IllegalArgumentException(
          "keys and values alternate: " + Arrays.toString(keysAndValues));
    }
    Map<String, String> settings = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      settings.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return start(JobConfig.of(settings));
  }

  /** What this sink guarantees, and what not, for people to read. */
  public String guarantee() {
    String poison =
        deadLetterTable == null ? "ends the sink" : "goes to the table " + deadLetterTable;
    return """
    Guarantee of sink %s: each committed message of %s is stored exactly once.
      unit       one database transaction per poll: rows and the offset in table %s, all or nothing.
      isolation  the topic is read read_committed.
      fencing    owner epoch of each partition in that table, checked in each transaction.
      poison     a message that cannot be stored %s.
      not covered: what the writer does outside of the connection that it is given.
    """
        .formatted(name, String.join(", ", definition.topics()), offsetsTable, poison);
  }
}
