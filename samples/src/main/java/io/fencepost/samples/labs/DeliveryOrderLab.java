package io.fencepost.samples.labs;

import io.fencepost.samples.client.Clients;
import io.fencepost.samples.client.CommittedReader;
import io.fencepost.samples.client.Sender;
import io.fencepost.samples.client.Session;
import io.fencepost.samples.report.Claim;
import io.fencepost.samples.report.Finding;
import io.fencepost.samples.report.LabReport;
import io.fencepost.samples.report.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * One crash, three orders of the same two steps. Process, then commit: the record of the crash is
 * processed again. Commit, then process: it never is. Both in one transaction: once.
 */
public final class DeliveryOrderLab {
  private static final int RECORDS = 5;
  private static final int CRASH_AT = 2;

  private final Session session;
  private final String run;
  private final String input;
  private final String output;
  private final TopicPartition partition;

  /** A lab on this cluster; {@code run} keeps its names apart from those of other runs. */
  public DeliveryOrderLab(Session session, String run) {
    this.session = session;
    this.run = run;
    this.input = session.name("lab-order-in", run);
    this.output = session.name("lab-order-out", run);
    this.partition = new TopicPartition(input, 0);
  }

  /** Ends one life of the application in the middle of its work. */
  private static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** One life of the application: processes what it finds until the end, or crashes. */
  private interface Life {
    void live(boolean crashes);
  }

  /** Runs the lab. */
  public LabReport run() {
    session.cluster().createTopics(List.of(input, output), 1);
    try {
      publishInput();
      List<String> atLeastOnce = new ArrayList<>();
      twoLives(crashes -> processThenCommit(atLeastOnce, crashes));
      List<String> atMostOnce = new ArrayList<>();
      twoLives(crashes -> commitThenProcess(atMostOnce, crashes));
      twoLives(this::inOneTransaction);
      List<String> transaction = new ArrayList<>();
      CommittedReader.readAll(
          session.cluster().bootstrap(),
          output,
          new StringDeserializer(),
          record -> transaction.add(record.value()));
      return report(atLeastOnce, atMostOnce, transaction);
    } finally {
      session.cluster().deleteTopics(List.of(input, output));
      session
          .cluster()
          .deleteGroups(List.of(group("process-commit"), group("commit-process"), group("txn")));
    }
  }

  private void publishInput() {
    try (KafkaProducer<String, String> producer =
        Clients.producer(Clients.producerSettings(session.cluster().bootstrap()))) {
      Sender<String, String> sender = new Sender<>(producer);
      for (int i = 0; i < RECORDS; i++) {
        sender.send(new ProducerRecord<>(input, "p" + i));
      }
      sender.awaitAll();
    }
  }

  private static void twoLives(Life application) {
    try {
      application.live(true);
    } catch (Crash e) {
      application.live(false);
    }
  }

  private void processThenCommit(List<String> effects, boolean crashes) {
    eachRecord(
        group("process-commit"),
        (consumer, record) -> {
          effects.add(record.value());
          crashIf(crashes && record.offset() == CRASH_AT);
          consumer.commitSync(next(record));
        });
  }

  private void commitThenProcess(List<String> effects, boolean crashes) {
    eachRecord(
        group("commit-process"),
        (consumer, record) -> {
          consumer.commitSync(next(record));
          crashIf(crashes && record.offset() == CRASH_AT);
          effects.add(record.value());
        });
  }

  private void inOneTransaction(boolean crashes) {
    KafkaProducer<String, String> producer =
        Clients.transactional(session.cluster().bootstrap(), session.name("lab-order", run));
    try {
      producer.initTransactions();
      eachRecord(
          group("txn"),
          (consumer, record) -> {
            producer.beginTransaction();
            Sender<String, String> sender = new Sender<>(producer);
            sender.send(new ProducerRecord<>(output, record.value()));
            sender.awaitAll();
            crashIf(crashes && record.offset() == CRASH_AT);
            producer.sendOffsetsToTransaction(next(record), consumer.groupMetadata());
            producer.commitTransaction();
          });
    } finally {
      // Nothing is ended here: an open transaction stays open, as after a real crash.
      producer.close(Duration.ZERO);
    }
  }

  /** What one life does with one record. */
  private interface Work {
    void on(KafkaConsumer<String, String> consumer, ConsumerRecord<String, String> record);
  }

  private void eachRecord(String group, Work work) {
    Properties settings = Clients.consumerSettings(session.cluster().bootstrap());
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "1");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(partition));
      while (consumer.position(partition) < RECORDS) {
        for (ConsumerRecord<String, String> record : consumer.poll(Clients.POLL)) {
          work.on(consumer, record);
        }
      }
    }
  }

  private Map<TopicPartition, OffsetAndMetadata> next(ConsumerRecord<String, String> record) {
    return Map.of(partition, new OffsetAndMetadata(record.offset() + 1));
  }

  private static void crashIf(boolean now) {
    if (now) {
      throw new Crash();
    }
  }

  private String group(String order) {
    return session.name("lab-order-" + order, run);
  }

  private LabReport report(
      List<String> atLeastOnce, List<String> atMostOnce, List<String> transaction) {
    Table table = new Table("ORDER", "PROCESSED", "REPLAYED", "SKIPPED", "EFFECTS");
    row(table, "process, then commit", atLeastOnce);
    row(table, "commit, then process", atMostOnce);
    row(table, "one transaction", transaction);
    return new LabReport(
        "delivery-order",
        List.of(
            RECORDS
                + " records; the application crashes between the two steps of record "
                + CRASH_AT
                + ", and starts again."),
        null,
        table,
        new Claim(
            "the order of processing and committing decides between replay and loss; a transaction"
                + " needs no order.",
            "input records of one partition, read by one consumer",
            "read_committed for the transaction's output; the other two write outside Kafka",
            "acks=all, idempotent and transactional for the third order",
            "effects outside the transaction: the first two orders show what happens to those"),
        List.of(
            Finding.of(
                "process, then commit replays one record and skips none",
                replayed(atLeastOnce) == 1 && skipped(atLeastOnce) == 0,
                figures(atLeastOnce)),
            Finding.of(
                "commit, then process skips one record and replays none",
                replayed(atMostOnce) == 0 && skipped(atMostOnce) == 1,
                figures(atMostOnce)),
            Finding.of(
                "one transaction does neither",
                replayed(transaction) == 0 && skipped(transaction) == 0,
                figures(transaction))));
  }

  private static void row(Table table, String order, List<String> effects) {
    table.row(
        order,
        Integer.toString(effects.size()),
        Integer.toString(replayed(effects)),
        Integer.toString(skipped(effects)),
        String.join(" ", effects));
  }

  private static String figures(List<String> effects) {
    return replayed(effects) + " replayed, " + skipped(effects) + " skipped";
  }

  private static int replayed(List<String> effects) {
    return effects.size() - new LinkedHashSet<>(effects).size();
  }

  private static int skipped(List<String> effects) {
    Set<String> distinct = new LinkedHashSet<>(effects);
    return RECORDS - distinct.size();
  }
}
