package io.fencepost.samples.outbox;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Brings outbox rows to the topic outbox. A row is deleted once the broker has acknowledged its
 * record, so each committed row is published at least once; a crash between the two publishes it
 * again under the same key, the id of the row, and {@link OutboxMailer} drops that.
 *
 * <p>Rows are taken by what is there and not by "ids above the last one": a transaction that
 * commits late has a lower number than one that was published already.
 */
public final class OutboxRelay {
  /** Keys are ids of rows. */
  public static final String TOPIC = "outbox";

  private static final long IDLE_MS = 200;

  private OutboxRelay() {}

  /** Arguments: bootstrap servers, JDBC URL. */
  public static void main(String[] arguments) throws Exception {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", arguments[0], "acks", "all", "enable.idempotence", true);
    try (Connection connection = DriverManager.getConnection(arguments[1]);
        Producer<String, String> producer =
            new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      OutboxTable.create(connection);
      while (true) {
        if (move(connection, producer) == 0) {
          TimeUnit.MILLISECONDS.sleep(IDLE_MS);
        }
      }
    }
  }

  /** Publishes what is there, in one transaction of the database; says how many rows. */
  static int move(Connection connection, Producer<String, String> producer)
      throws SQLException, InterruptedException, ExecutionException {
    connection.setAutoCommit(false);
    try {
      List<OutboxTable.Event> events = OutboxTable.take(connection);
      List<Future<?>> sent = new ArrayList<>();
      for (OutboxTable.Event event : events) {
        sent.add(producer.send(new ProducerRecord<>(TOPIC, event.id(), event.payload())));
      }
      producer.flush();
      for (Future<?> each : sent) {
        each.get();
      }
      OutboxTable.delete(connection, events);
      connection.commit();
      return events.size();
    } catch (SQLException | InterruptedException | ExecutionException | RuntimeException e) {
      connection.rollback();
      throw e;
    }
  }
}
