package io.fencepost.samples.labs;

import io.fencepost.broker.wire.WireError;
import io.fencepost.samples.client.Clients;
import io.fencepost.samples.client.OwnCluster;
import io.fencepost.samples.client.RawProducer;
import io.fencepost.samples.report.Claim;
import io.fencepost.samples.report.Finding;
import io.fencepost.samples.report.LabReport;
import io.fencepost.testkit.net.RawClient;
import io.fencepost.txn.main.FencepostCluster;
import io.fencepost.txn.main.Unforced;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/**
 * The leader dies while its followers do not have a write yet. With acks=1 it had acknowledged the
 * write, which is lost. With acks=all and min.insync.replicas=2 it had not, and the producer's
 * retry reaches the next leader. With acks=all and min.insync.replicas=1 it may be the only one in
 * sync, and then acks=all is worth no more than acks=1.
 */
public final class LeaderFailureLab {
  private static final String TOPIC = "payments";
  private static final int LEADER = 1;
  private static final int NEXT = 2;

  /** Followers that are cut off stay in the ISR for as long as the lab takes. */
  private static final String STAY = "600000";

  /** Followers that are cut off leave the ISR soon. */
  private static final String LEAVE = "500";

  private final boolean acksAll;
  private final int minIsr;
  private final ReplicaTimeline timeline = new ReplicaTimeline(TOPIC);
  private final List<Finding> findings = new ArrayList<>();

  /**
   * @param acksAll acks=all, else acks=1
   * @param minIsr min.insync.replicas of the topic
   */
  public LeaderFailureLab(boolean acksAll, int minIsr) {
    this.acksAll = acksAll;
    this.minIsr = minIsr;
  }

  /** What one act does on a fresh cluster with the topic in it. */
  private interface Act {
    void play(OwnCluster cluster);
  }

  /** Runs the lab. */
  public LabReport run() {
    if (!acksAll) {
      play(STAY, this::acknowledgedByTheLeader);
    } else if (minIsr == 1) {
      play(LEAVE, this::acknowledgedByTheLastInSync);
    } else {
      play(STAY, this::notAcknowledgedYet);
      play(LEAVE, this::tooFewAfterTheAppend);
    }
    return report();
  }

  private void play(String lagTimeMs, Act act) {
    TreeMap<String, String> settings = new TreeMap<>();
    settings.put("replica.lag.time.max.ms", lagTimeMs);
    try (OwnCluster cluster = OwnCluster.start(settings)) {
      cluster.createTopic(TOPIC, minIsr, List.of(LEADER));
      act.play(cluster);
    }
  }

  private void acknowledgedByTheLeader(OwnCluster cluster) {
    FencepostCluster brokers = cluster.brokers();
    try (KafkaProducer<String, String> producer = producer(cluster)) {
      sendToAll(cluster, producer, "p0");
      brokers.isolate(LEADER, 2, 3);
      note(brokers, "2 and 3 no longer reach leader 1; nobody notices yet", "");
      long offset = await(send(producer, "p1"));
      note(brokers, "p1 is sent, acks=1", acknowledged(offset));
      brokers.kill(LEADER);
      brokers.awaitLeader(TOPIC, 0);
      brokers.awaitHighWatermark(TOPIC, 0, 1);
      note(brokers, "1 is killed, 2 is promoted, as it is in the ISR", "");
      List<String> after = cluster.committed(TOPIC);
      note(brokers, "a consumer reads from the start", shown(after));
      comeBack(brokers, 1);
      note(brokers, "1 comes back and cuts its log to where it agrees with 2", "");
      long again = await(send(producer, "p2"));
      awaitEverywhere(brokers, 2);
      note(brokers, "p2 is sent, acks=1", acknowledged(again));
      findings.add(
          Finding.of(
              "the write that acks=1 had acknowledged is lost",
              !after.contains("p1") && !cluster.committed(TOPIC).contains("p1"),
              "p1 was acknowledged at offset %d, after the failover there are %s"
                  .formatted(offset, shown(after))));
      findings.add(
          Finding.of(
              "its offset belongs to another record now",
              again == offset,
              "offset " + again + " is p2, after the failover"));
    }
  }

  private void notAcknowledgedYet(OwnCluster cluster) {
    FencepostCluster brokers = cluster.brokers();
    try (KafkaProducer<String, String> producer = producer(cluster)) {
      sendToAll(cluster, producer, "p0");
      brokers.isolate(LEADER, 2, 3);
      note(brokers, "2 and 3 no longer reach leader 1; nobody notices yet", "");
      Future<RecordMetadata> answer = send(producer, "p1");
      brokers.awaitLogEnd(TOPIC, 0, LEADER, 2);
      boolean isTooEarly = answer.isDone();
      note(brokers, "p1 is sent, acks=all", isTooEarly ? "ACKNOWLEDGED" : "none yet");
      brokers.kill(LEADER);
      brokers.awaitLeader(TOPIC, 0);
      long offset = await(answer);
      note(brokers, "1 is killed, 2 is promoted, the client retries p1", acknowledged(offset));
      List<String> after = cluster.committed(TOPIC);
      note(brokers, "a consumer reads from the start", shown(after));
      comeBack(brokers, 2);
      note(brokers, "1 comes back, cuts its own p1 off, fetches that of 2", "");
      findings.add(
          Finding.of(
              "acks=all acknowledges nothing that only the leader has",
              !isTooEarly,
              isTooEarly ? "it did" : "no answer before the leader's death"));
      List<String> end = cluster.committed(TOPIC);
      findings.add(
          Finding.of(
              "the acknowledged write is not lost, and there is one of it",
              after.equals(List.of("p0", "p1")) && end.equals(after),
              "p1 was acknowledged at offset %d, after the failover there are %s"
                  .formatted(offset, shown(after))));
    }
  }

  private void acknowledgedByTheLastInSync(OwnCluster cluster) {
    FencepostCluster brokers = cluster.brokers();
    try (KafkaProducer<String, String> producer = producer(cluster)) {
      sendToAll(cluster, producer, "p0");
      brokers.isolate(LEADER, 2, 3);
      brokers.awaitIsr(TOPIC, 0, LEADER);
      note(brokers, "2 and 3 no longer reach leader 1, and leave the ISR", "");
      long offset = await(send(producer, "p1"));
      note(brokers, "p1 is sent, acks=all; only broker 1 is in sync", acknowledged(offset));
      brokers.kill(LEADER, Unforced.LOST);
      note(brokers, "1 loses power; no other is in the ISR", "");
      comeBack(brokers, 0);
      note(brokers, "1 comes back without what was not on its disk", "");
      List<String> after = cluster.committed(TOPIC);
      note(brokers, "a consumer reads from the start", shown(after));
      findings.add(
          Finding.of(
              "with min.insync.replicas=1, acks=all may promise no more than acks=1",
              !after.contains("p1"),
              "p1 was acknowledged at offset %d, after the failover there are %s"
                  .formatted(offset, shown(after))));
      findings.add(
          Finding.of(
              "the others follow the only leader there can be, whatever more they had",
              !after.contains("p0"),
              after.contains("p0") ? "p0 is there" : "p0, which all three had, is gone too"));
    }
  }

  private void tooFewAfterTheAppend(OwnCluster cluster) {
    FencepostCluster brokers = cluster.brokers();
    RawProducer producer;
    RawProducer.Answer first;
    try (RawClient leader = cluster.raw(LEADER)) {
      producer = RawProducer.init(leader);
      RawProducer.Answer before = producer.send(leader, TOPIC, 0, "p0");
      awaitEverywhere(brokers, 1);
      note(brokers, "on a new cluster: p0 by hand, acks=all, sequence 0", before.toString());
      brokers.isolate(LEADER, 2, 3);
      first = producer.send(leader, TOPIC, 1, "p1");
      note(brokers, "2 and 3 are cut off and leave the ISR while p1 waits", first.toString());
    }
    brokers.heal();
    brokers.awaitIsr(TOPIC, 0, 1, 2, 3);
    awaitEverywhere(brokers, 2);
    note(brokers, "they come back and fetch p1, which 1 has kept", "");
    brokers.kill(LEADER);
    brokers.awaitLeader(TOPIC, 0);
    brokers.awaitHighWatermark(TOPIC, 0, 2);
    note(brokers, "1 is killed, 2 is promoted", "");
    RawProducer.Answer retry;
    try (RawClient next = cluster.raw(NEXT)) {
      retry = producer.send(next, TOPIC, 1, "p1");
    }
    note(brokers, "p1 again: same producer id, epoch and sequence 1", retry.toString());
    List<String> after = cluster.committed(TOPIC);
    note(brokers, "a consumer reads from the start", shown(after));
    findings.add(
        Finding.of(
            "too few in sync after the append is an error, though the write is in the log",
            first.error() == WireError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
            first.toString()));
    findings.add(
        Finding.of(
            "its retry is recognised by the next leader, and there is one of it",
            retry.error() == WireError.NONE
                && retry.offset() == 1
                && after.equals(List.of("p0", "p1")),
            "%s, and there are %s".formatted(retry, shown(after))));
  }

  private void sendToAll(OwnCluster cluster, KafkaProducer<String, String> producer, String value) {
    long offset = await(send(producer, value));
    awaitEverywhere(cluster.brokers(), offset + 1);
    note(cluster.brokers(), value + " is sent, acks=" + acks(), acknowledged(offset));
  }

  private static void awaitEverywhere(FencepostCluster brokers, long end) {
    for (int broker : brokers.running()) {
      brokers.awaitLogEnd(TOPIC, 0, broker, end);
    }
    brokers.awaitHighWatermark(TOPIC, 0, end);
  }

  private static void comeBack(FencepostCluster brokers, long committed) {
    brokers.restart(LEADER);
    brokers.heal();
    brokers.awaitIsr(TOPIC, 0, 1, 2, 3);
    awaitEverywhere(brokers, committed);
  }

  private void note(FencepostCluster brokers, String what, String answer) {
    timeline.note(brokers, what, answer);
  }

  private String acks() {
    return acksAll ? "all" : "1";
  }

  private static String acknowledged(long offset) {
    return "acknowledged, offset " + offset;
  }

  private static String shown(List<String> records) {
    return records.isEmpty() ? "no records" : String.join(", ", records);
  }

  private KafkaProducer<String, String> producer(OwnCluster cluster) {
    Properties settings = Clients.producerSettings(cluster.bootstrap());
    settings.put(ProducerConfig.ACKS_CONFIG, acks());
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, Boolean.toString(acksAll));
    return Clients.producer(settings);
  }

  private static Future<RecordMetadata> send(KafkaProducer<String, String> producer, String value) {
    return producer.send(new ProducerRecord<>(TOPIC, 0, null, value));
  }

  private static long await(Future<RecordMetadata> answer) {
    try {
      return answer.get().offset();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException failure
          ? failure
          : new KafkaException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptException(e);
    }
  }

  private LabReport report() {
    return new LabReport(
        "leader-failure",
        List.of(
            "Three brokers, one partition with a replica on each, acks=%s, min.insync.replicas=%d."
                .formatted(acks(), minIsr),
            "HW is where consumers stop; both HW and log ends are exclusive."),
        null,
        timeline.table(),
        onKafka(),
        claim(),
        findings);
  }

  private List<String> onKafka() {
    List<String> lines = new ArrayList<>();
    lines.add(
        acksAll && minIsr > 1
            ? "A dead leader is noticed after broker.session.timeout.ms (9 s), here at once; the"
                + " rest of the failover is the same."
            : "The same is lost. A dead leader is noticed after broker.session.timeout.ms (9 s),"
                + " here at once.");
    if (acksAll && minIsr > 1) {
      lines.add(
          "Below min.insync.replicas the high watermark stands still there too, but the waiting"
              + " request is not told:");
      lines.add(
          "it ends as REQUEST_TIMED_OUT after the producer's request.timeout.ms (30 s), and is"
              + " retried just the same.");
    }
    return lines;
  }

  private Claim claim() {
    if (!acksAll) {
      return new Claim(
          "acks=1 acknowledges what one broker has; it is lost with that broker.",
          "records of one partition whose leader dies before its followers have them",
          "any reader; the record was never visible, as the high watermark had not passed it",
          "acks=1, whatever min.insync.replicas is; the producer sees no error, so it never"
              + " retries",
          "that it happens often: followers are usually milliseconds behind");
    }
    if (minIsr == 1) {
      return new Claim(
          "acks=all waits for those that are in sync, which may be the leader alone.",
          "records of one partition whose ISR has shrunk to its leader",
          "any reader; the record was even visible before it was lost",
          "acks=all with min.insync.replicas=1; flush=os, so a broker without power loses its"
              + " newest writes",
          "flush=group, which forces each write to the leader's disk before it is acknowledged");
    }
    return new Claim(
        "acks=all with min.insync.replicas=2 survives the loss of any one broker.",
        "records of one partition, idempotent producer",
        "any reader; nobody sees a record before two brokers have it",
        "acks=all, min.insync.replicas=2 of three replicas; every error that may hide a write is"
            + " retried under the same sequence",
        "the loss of two brokers at once, and a producer that gives up and sends anew: that is"
            + " another record");
  }
}
