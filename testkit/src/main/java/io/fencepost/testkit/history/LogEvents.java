package io.fencepost.testkit.history;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.txn.coordinator.TxnRecords;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnState;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** What batches of logs say of transactions, as events: to be shown each partition in order. */
public final class LogEvents {
  private final Function<BatchView, SortedSet<String>> transactions;
  private final Predicate<TopicPartition> told;
  private final Consumer<Event> events;
  private final Consumer<String> strange;

  /**
   * For one scan.
   *
   * @param transactions names those whose records a batch of a client holds
   * @param told of the partitions of a transaction those that are told; markers may be gone in
   *     others
   * @param strange hears of what is no entry of a transaction log, and stands in one
   */
  public LogEvents(
      Function<BatchView, SortedSet<String>> transactions,
      Predicate<TopicPartition> told,
      Consumer<Event> events,
      Consumer<String> strange) {
    this.transactions = transactions;
    this.told = told;
    this.events = events;
    this.strange = strange;
  }

  /** Tells what the batch says. */
  public void take(TopicPartition partition, BatchView batch) {
    ProducerIdentity producer = new ProducerIdentity(batch.producerId(), batch.producerEpoch());
    ControlMarker marker = ControlMarker.of(batch);
    if (marker != null) {
      events.accept(
          new Event.MarkerLogged(
              partition,
              batch.baseOffset(),
              batch.leaderEpoch(),
              producer,
              marker.commit(),
              marker.coordinatorEpoch()));
    } else if (partition.topic().equals(TopicNames.TRANSACTIONS)) {
      states(partition, batch);
    } else if (batch.isTransactional()) {
      boolean isOfClients = !partition.topic().startsWith("__");
      events.accept(
          new Event.TransactionalBatch(
              partition,
              batch.baseOffset(),
              batch.leaderEpoch(),
              producer,
              isOfClients ? transactions.apply(batch) : new TreeSet<>()));
      if (isOfClients) {
        events.accept(
            new Event.Batch(
                partition,
                batch.baseOffset(),
                producer.producerId(),
                producer.epoch(),
                batch.baseSequence(),
                batch.recordCount()));
      }
    }
  }

  private void states(TopicPartition partition, BatchView batch) {
    RecordIterator records = RecordIterator.of(batch);
    while (records.next()) {
      Map<String, Object> fields =
          TxnRecords.describe(records.record().key(), records.record().value());
      TxnState state =
          fields == null ? null : TxnState.labelled(String.valueOf(fields.get("state")));
      if (fields == null || state == null) {
        strange.accept(partition + " offset " + records.record().offset() + " says " + fields);
        continue;
      }
      events.accept(
          new Event.StateLogged(
              partition,
              records.record().offset(),
              String.valueOf(fields.get("transactionalId")),
              state,
              new ProducerIdentity(
                  ((Number) field(fields, "producerId")).longValue(),
                  ((Number) field(fields, "producerEpoch")).shortValue()),
              partitions(fields)));
    }
  }

  private SortedSet<TopicPartition> partitions(Map<String, Object> fields) {
    TreeSet<TopicPartition> partitions = new TreeSet<>();
    for (Object name : (Collection<?>) field(fields, "partitions")) {
      TopicPartition named = parse(String.valueOf(name));
      if (told.test(named)) {
        partitions.add(named);
      }
    }
    return partitions;
  }

  private static Object field(Map<String, Object> fields, String name) {
    return Objects.requireNonNull(fields.get(name), name);
  }

  /** A partition by its name, which is its directory's too. */
  public static TopicPartition parse(String name) {
    int dash = name.lastIndexOf('-');
    return new TopicPartition(name.substring(0, dash), Integer.parseInt(name.substring(dash + 1)));
  }
}
