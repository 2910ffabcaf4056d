package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A history in which all is in order, as big as is wanted: writers whose transactions each answer
 * the job's last one, one in seven aborted, a job that copies what is committed, readers of both
 * levels, and the scans of logs at the end.
 */
public final class BigHistory {
  private static final int WRITERS = 4;
  private static final int PARTITIONS = 3;
  private static final int RECORDS = 10;
  private static final int JOB = WRITERS;
  private static final int EPOCH_MAX = 30_000;
  private static final TopicPartition STATES = new TopicPartition("__transaction_state", 0);

  private final Consumer<Event> sink;
  private final List<Event> scans = new ArrayList<>();
  private final TreeMap<TopicPartition, Long> ends = new TreeMap<>();
  private final TreeMap<String, Integer> sequences = new TreeMap<>();
  private final TreeMap<String, Long> numbers = new TreeMap<>();
  private final ProducerIdentity[] producers = new ProducerIdentity[WRITERS + 1];
  private long sentCount;
  private Event.Sent lastCopy =
      new Event.Sent("", new TopicPartition(Pipeline.ACCEPTED, 0), "", Outcome.FAILED, -1);

  private BigHistory(Consumer<Event> sink) {
    this.sink = sink;
  }

  /** Hands on a history in which so many records are sent, or a few more. */
  public static void write(long records, Consumer<Event> sink) {
    new BigHistory(sink).write(records);
  }

  private void write(long records) {
    for (int client = 0; client <= JOB; client++) {
      sink.accept(new Event.Opened(name(client), name(client) + ".1"));
      begin(client, client);
    }
    for (int broker = 1; broker <= PARTITIONS; broker++) {
      sink.accept(new Event.Led(input(broker - 1), 0, broker));
    }
    for (int number = 0; sentCount < records; number++) {
      boolean commit = number % 7 != 6;
      List<Event.Sent> written = transaction(number % WRITERS, number, commit);
      if (commit) {
        copy(number, written);
      }
    }
    scans.forEach(sink);
    sink.accept(new Event.FilesChecked(scans.size()));
    sink.accept(new Event.Finished());
  }

  private static String name(int client) {
    return client == JOB ? "job" : "w" + client;
  }

  private static TopicPartition input(int partition) {
    return new TopicPartition(Pipeline.INPUT, partition);
  }

  private List<Event.Sent> transaction(int writer, int number, boolean commit) {
    String transaction = name(writer) + ".1/" + number;
    List<Event.Sent> written = new ArrayList<>();
    if (lastCopy.offset() >= 0) {
      took(transaction, lastCopy);
    }
    for (int i = 0; i < RECORDS; i++) {
      int partition = i % PARTITIONS;
      String from = "w" + writer + "p" + partition;
      // Aborted numbers are not used again: the job never sees them.
      long key = numbers.merge(from, 1L, Long::sum);
      Posting posting =
          new Posting(
              transaction + ":" + i, new Posting.Key(from, key), new BigDecimal("1.10"), "");
      written.add(send(writer, transaction, input(partition), posting));
    }
    end(writer, transaction, written, commit);
    return written;
  }

  private void copy(int number, List<Event.Sent> written) {
    String transaction = "job.1/" + number;
    List<Event.Sent> copies = new ArrayList<>();
    for (Event.Sent sent : written) {
      took(transaction, sent);
      Posting copy =
          Posting.parse(sent.value())
              .copied(
                  transaction + ":" + copies.size(), sent.partition().partition(), sent.offset());
      copies.add(
          send(
              JOB,
              transaction,
              new TopicPartition(Pipeline.ACCEPTED, sent.partition().partition()),
              copy));
    }
    for (int partition = 0; partition < PARTITIONS; partition++) {
      sink.accept(
          new Event.Staged(
              transaction, Pipeline.GROUP, input(partition), ends.get(input(partition))));
    }
    end(JOB, transaction, copies, true);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      sink.accept(new Event.OffsetAsked(Pipeline.GROUP, input(partition)));
      sink.accept(
          new Event.OffsetSeen(Pipeline.GROUP, input(partition), ends.get(input(partition))));
    }
    lastCopy = copies.get(0);
  }

  private void took(String transaction, Event.Sent sent) {
    sink.accept(new Event.Took(transaction, sent.partition(), sent.offset(), sent.value()));
  }

  private Event.Sent send(int client, String transaction, TopicPartition to, Posting posting) {
    long offset = ends.merge(to, 1L, Long::sum) - 1;
    String value = posting.text();
    sink.accept(new Event.SendAsked(transaction, to, value));
    Event.Sent sent = new Event.Sent(transaction, to, value, Outcome.OK, offset);
    sink.accept(sent);
    sentCount++;
    String producer = to + " " + producers[client];
    int sequence = sequences.merge(producer, 1, Integer::sum) - 1;
    scans.add(
        new Event.Batch(
            to, offset, producers[client].producerId(), producers[client].epoch(), sequence, 1));
    scans.add(
        new Event.TransactionalBatch(
            to, offset, 0, producers[client], new TreeSet<>(List.of(transaction))));
    return sent;
  }

  private void begin(int client, long producerId) {
    producers[client] = new ProducerIdentity(producerId, (short) 0);
    logged(client, TxnState.EMPTY, new TreeSet<>());
  }

  private void logged(int client, TxnState state, TreeSet<TopicPartition> partitions) {
    scans.add(
        new Event.StateLogged(
            STATES, scans.size(), name(client), state, producers[client], partitions));
  }

  /** The end of a transaction, its markers, and what readers see of it. */
  private void end(int client, String transaction, List<Event.Sent> written, boolean commit) {
    TreeSet<TopicPartition> partitions = new TreeSet<>();
    written.forEach(sent -> partitions.add(sent.partition()));
    logged(client, TxnState.ONGOING, partitions);
    sink.accept(new Event.EndAsked(transaction, commit));
    sink.accept(new Event.Ended(transaction, commit, Outcome.OK));
    producers[client] = producers[client].next();
    logged(client, commit ? TxnState.PREPARE_COMMIT : TxnState.PREPARE_ABORT, partitions);
    for (TopicPartition partition : partitions) {
      long offset = ends.merge(partition, 1L, Long::sum) - 1;
      scans.add(new Event.MarkerLogged(partition, offset, 0, producers[client], commit, 0));
    }
    logged(client, commit ? TxnState.COMPLETE_COMMIT : TxnState.COMPLETE_ABORT, partitions);
    if (producers[client].epoch() == EPOCH_MAX) {
      begin(client, producers[client].producerId() + WRITERS + 1);
    }
    for (Isolation isolation : Isolation.values()) {
      String reader = isolation == Isolation.READ_COMMITTED ? "rc" : "ru";
      if (commit || isolation == Isolation.READ_UNCOMMITTED) {
        for (Event.Sent sent : written) {
          sink.accept(
              new Event.Read(reader, isolation, sent.partition(), sent.offset(), sent.value()));
        }
      }
      for (TopicPartition partition : partitions) {
        long end = ends.get(partition);
        sink.accept(new Event.Passed(reader, isolation, partition, end));
        sink.accept(new Event.Watermarks(reader, partition, end, end));
      }
    }
  }
}
