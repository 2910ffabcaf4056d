package io.fencepost.samples.labs;

import io.fencepost.samples.client.Await;
import io.fencepost.samples.client.OpenTransactions.Open;
import io.fencepost.samples.client.RawLog;
import io.fencepost.samples.report.Claim;
import io.fencepost.samples.report.Finding;
import io.fencepost.samples.report.LabReport;
import io.fencepost.samples.report.Table;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * Transactions that their clients do not end. Two have a coordinator: an operator ends one, its
 * timeout the other. One is known to nobody, so nothing ends it until somebody writes its marker;
 * until then it holds back readers of committed records and compaction.
 */
public final class HangingLab {
  private static final TopicPartition PAYMENTS = new TopicPartition("payments", 0);
  private static final TopicPartition HELD = new TopicPartition("rates", 0);
  private static final TopicPartition FREE = new TopicPartition("rates", 1);

  /** The longest that transaction.max.timeout.ms allows. */
  private static final int LONG_MS = 900_000;

  private static final int SHORT_MS = 500;
  private static final long STRANGER = 777;
  private static final short STRANGER_EPOCH = 3;
  private static final List<String> RATES = List.of("usd 1", "usd 2", "usd 3", "eur 1");
  private static final List<String> COMPACTED = List.of("usd 3", "eur 1");

  private final Table table =
      new Table(
          "STEP",
          "WHAT HAPPENS",
          "PARTITION",
          "RECORDS",
          "LSO",
          "HW",
          "READ_COMMITTED",
          "TXN BLOCKERS",
          "TXN HANGING");

  private final List<Finding> findings = new ArrayList<>();
  private int step;

  /** Runs the lab. */
  public LabReport run() {
    try (HangingStage stage = HangingStage.open()) {
      stage.create(PAYMENTS.topic());
      stage.createCompacted(HELD.topic());
      fenced(stage);
      timedOut(stage);
      aborted(stage);
    }
    return report();
  }

  private void fenced(HangingStage stage) {
    stage.leaveOpen("sleeper", LONG_MS, PAYMENTS, "s1");
    stage.send(PAYMENTS, null, "p1");
    note(stage, "sleeper sends s1 and dies; p1 is sent", PAYMENTS);
    String blocker = stage.blocker(PAYMENTS);
    List<String> before = stage.committed(PAYMENTS);
    boolean isHanging = !stage.hanging(PAYMENTS).isEmpty();
    stage.fence("sleeper");
    note(stage, "an operator fences it: txn fence sleeper", PAYMENTS);
    findings.add(
        Finding.of(
            "one that has a coordinator is found by its transactional id, and ended by fencing it",
            blocker.equals("sleeper")
                && !isHanging
                && before.isEmpty()
                && stage.committed(PAYMENTS).equals(List.of("p1")),
            "%s held back p1, which is read once it is fenced".formatted(blocker)));
  }

  private void timedOut(HangingStage stage) {
    long end = stage.log(PAYMENTS).highWatermark();
    stage.leaveOpen("napper", SHORT_MS, PAYMENTS, "n1");
    RawLog log = stage.logOnce(PAYMENTS, end + 1);
    note(stage, "napper sends n1 and dies; its timeout passes", PAYMENTS);
    findings.add(
        Finding.of(
            "its coordinator ends it when transaction.timeout.ms is over",
            log.entries().get(log.entries().size() - 1).marker() != null
                && stage.blocker(PAYMENTS).equals("nobody"),
            "an abort marker, and nobody has done anything"));
  }

  private void aborted(HangingStage stage) {
    stage.putByHand(HELD, STRANGER, STRANGER_EPOCH, "lost");
    note(stage, "a batch of producer 777 that no coordinator knows", HELD);
    for (String rate : RATES) {
      String key = rate.split(" ", 2)[0];
      stage.send(HELD, key, rate);
      stage.send(FREE, key, rate);
    }
    Await.until("rates-1 is compacted", () -> isCompacted(stage, FREE));
    note(stage, "four rates are sent, and compaction runs", FREE);
    note(stage, "the same rates, the same compaction", HELD);
    List<String> before = stage.committed(HELD);
    boolean wasHeld = records(stage.log(HELD)) == 1 + RATES.size();
    List<Open> found = stage.hanging(HELD);
    found.forEach(stage::abort);
    Await.until("rates-0 is compacted", () -> isCompacted(stage, HELD));
    note(stage, "an operator aborts it: txn abort; compaction runs", HELD);
    findings.add(
        Finding.of(
            "one without a coordinator is found by txn hanging, and ended by txn abort",
            found.size() == 1 && before.isEmpty() && stage.hanging(HELD).isEmpty(),
            "%d found, nothing was read before, %s after"
                .formatted(found.size(), String.join(", ", stage.committed(HELD)))));
    findings.add(
        Finding.of(
            "it held back compaction too, of its own partition only",
            wasHeld && isCompacted(stage, FREE) && isCompacted(stage, HELD),
            "rates-1 was compacted before, rates-0 only after it"));
  }

  private static boolean isCompacted(HangingStage stage, TopicPartition partition) {
    return stage.committed(partition).equals(COMPACTED)
        && records(stage.log(partition)) == COMPACTED.size();
  }

  private void note(HangingStage stage, String what, TopicPartition partition) {
    RawLog log = stage.log(partition);
    List<String> hanging =
        stage.hanging(partition).stream()
            .map(open -> "producer " + open.producer().producerId())
            .toList();
    step++;
    table.row(
        Integer.toString(step),
        what,
        partition.toString(),
        Long.toString(records(log)),
        Long.toString(log.lastStableOffset()),
        Long.toString(log.highWatermark()),
        String.join(", ", stage.committed(partition)),
        stage.blocker(partition),
        hanging.isEmpty() ? "none" : String.join(", ", hanging));
  }

  private static long records(RawLog log) {
    return log.entries().stream().filter(entry -> entry.marker() == null).count();
  }

  private LabReport report() {
    return new LabReport(
        "hanging",
        List.of(
            "Three transactions that no client ends: one may take 15 minutes, one half a second,"
                + " one is known to no coordinator.",
            "RECORDS are those in the log without markers; the last columns are what fencepost txn"
                + " blockers and txn hanging find."),
        null,
        table,
        List.of(
            "Timeouts are looked for every 10 s, here every 500 ms"
                + " (transaction.abort.timed.out.transaction.cleanup.interval.ms).",
            "A late batch that no coordinator let in is refused, as here, since KIP-890; logs from"
                + " before may hold one. This one was put into the log by hand."),
        new Claim(
            "whoever leaves a transaction open holds up its partitions, and can be found and"
                + " ended.",
            "partitions with an open transaction",
            "read_committed; read_uncommitted readers go on, and so do all writers",
            "acks=all; what was acknowledged inside of the transaction is aborted with it",
            "whether it should have been a commit: an abort by an operator or a timeout is final"),
        findings);
  }
}
