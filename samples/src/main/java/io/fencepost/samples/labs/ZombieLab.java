package io.fencepost.samples.labs;

import io.fencepost.samples.client.Clients;
import io.fencepost.samples.client.CommittedReader;
import io.fencepost.samples.client.Session;
import io.fencepost.samples.report.Claim;
import io.fencepost.samples.report.Finding;
import io.fencepost.samples.report.LabReport;
import io.fencepost.samples.report.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Two producers with one transactional id. The first opens a transaction and freezes, the second
 * takes over, the first wakes up and goes on as if nothing had happened. A client that met its
 * first fencing error refuses everything else by itself, so each call has a pair of its own: it is
 * the broker that has to refuse.
 */
public final class ZombieLab {
  private final Session session;
  private final String run;
  private final String topic;
  private final Table timeline = new Table("STEP", "WHO", "DOES", "ANSWER");
  private int step;

  /** A lab on this cluster; {@code run} keeps its names apart from those of other runs. */
  public ZombieLab(Session session, String run) {
    this.session = session;
    this.run = run;
    this.topic = session.name("lab-zombie", run);
  }

  /** A call that the zombie tries. */
  private enum Call {
    SEND("send"),
    SEND_OFFSETS("sendOffsetsToTransaction"),
    COMMIT("commitTransaction"),
    ABORT("abortTransaction");

    private final String method;

    Call(String method) {
      this.method = method;
    }
  }

  /** Runs the lab. */
  public LabReport run() {
    session.cluster().createTopics(List.of(topic), 1);
    try {
      List<String> notFenced = new ArrayList<>();
      for (Call call : Call.values()) {
        if (!isFencedIn(call)) {
          notFenced.add(call.method);
        }
      }
      Map<String, Integer> visible = new TreeMap<>();
      CommittedReader.readAll(
          session.cluster().bootstrap(),
          topic,
          new StringDeserializer(),
          record -> visible.merge(record.value(), 1, Integer::sum));
      return report(notFenced, visible);
    } finally {
      session.cluster().deleteTopics(List.of(topic));
    }
  }

  private boolean isFencedIn(Call call) {
    String id = session.name("zombie", run) + "-" + call.method;
    String bootstrap = session.cluster().bootstrap();
    KafkaProducer<String, String> old = Clients.transactional(bootstrap, id);
    try (KafkaProducer<String, String> successor = Clients.transactional(bootstrap, id);
        KafkaConsumer<String, String> consumer =
            Clients.consumer(bootstrap, session.name("lab-zombie-group", run))) {
      old.initTransactions();
      old.beginTransaction();
      send(old, "old-before-" + call.method);
      note("old", "begins a transaction, sends a record, freezes", "acknowledged, not committed");
      successor.initTransactions();
      note("successor", "initTransactions", "the old one's transaction is aborted, epoch raised");
      String answer = tried(old, call, consumer.groupMetadata());
      note("old", "wakes up: " + call.method, answer);
      successor.beginTransaction();
      send(successor, "new-" + call.method);
      successor.commitTransaction();
      note("successor", "sends a record and commits", "ok");
      return answer.startsWith("fenced");
    } finally {
      old.close(Duration.ZERO);
    }
  }

  private String tried(
      KafkaProducer<String, String> zombie, Call call, ConsumerGroupMetadata group) {
    try {
      switch (call) {
        case SEND -> send(zombie, "old-after");
        case SEND_OFFSETS ->
            zombie.sendOffsetsToTransaction(
                Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(1)), group);
        case COMMIT -> zombie.commitTransaction();
        case ABORT -> zombie.abortTransaction();
      }
      return "ok: NOT FENCED";
    } catch (ProducerFencedException | InvalidProducerEpochException e) {
      return "fenced: " + e.getClass().getSimpleName();
    } catch (KafkaException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      boolean fenced =
          cause instanceof ProducerFencedException
              || cause instanceof InvalidProducerEpochException;
      return (fenced ? "fenced: " : "NOT FENCED: ") + cause.getClass().getSimpleName();
    }
  }

  private void send(KafkaProducer<String, String> producer, String value) {
    try {
      producer.send(new ProducerRecord<>(topic, value, value)).get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException failure
          ? failure
          : new KafkaException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptException(e);
    }
  }

  private void note(String who, String does, String answer) {
    step++;
    timeline.row(Integer.toString(step), who, does, answer);
  }

  private LabReport report(List<String> notFenced, Map<String, Integer> visible) {
    int calls = Call.values().length;
    long old = visible.keySet().stream().filter(value -> value.startsWith("old")).count();
    long once = visible.values().stream().filter(times -> times == 1).count();
    return new LabReport(
        "zombie",
        List.of(
            "Two producers share one transactional id; the older wakes up after its successor."),
        null,
        timeline,
        new Claim(
            "once a successor has called initTransactions, nothing of the old producer counts.",
            "calls and records of producers that share a transactional.id",
            "read_committed; a read_uncommitted reader does see the old one's aborted records",
            "acks=all, transactional; no retry helps a fenced producer",
            "what the zombie does outside Kafka, and producers without a transactional.id"),
        List.of(
            Finding.of(
                "the old producer is fenced in every call",
                notFenced.isEmpty(),
                notFenced.isEmpty()
                    ? calls + " of " + calls + " calls"
                    : "not in " + String.join(", ", notFenced)),
            Finding.of(
                "no record of an old producer is visible",
                old == 0,
                old + " of its records are visible"),
            Finding.of(
                "each record of the successors is visible once",
                once == calls && visible.size() == calls,
                once + " of " + calls)));
  }
}
