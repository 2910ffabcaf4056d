package io.fencepost.samples.labs;

import io.fencepost.samples.report.Claim;
import io.fencepost.samples.report.Finding;
import io.fencepost.samples.report.LabReport;
import io.fencepost.samples.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * The coordinator of a transactional id dies at each step of a commit. Another broker has its log,
 * takes over and ends what was decided; what was not decided is still the client's to decide. In no
 * case is a part of the transaction visible without the rest, its offset included.
 */
public final class CoordinatorFailoverLab {
  private static final List<String> WHOLE = List.of("p0", "p1");
  private static final String NEXT = "next";
  private static final long PATIENCE_SECONDS = 60;

  private final Table table =
      new Table(
          "THE COORDINATOR DIES",
          "ITS LOG",
          "MARKERS",
          "NEXT",
          "CLIENT",
          "VISIBLE",
          "OFFSET",
          "OUTCOME");

  private final List<String> halves = new ArrayList<>();
  private final List<String> unexpected = new ArrayList<>();
  private int wentOn;

  /** How much of the transaction is visible in the end. */
  private enum Outcome {
    ALL("all"),
    NOTHING("nothing"),
    HALF("HALF");

    private final String text;

    Outcome(String text) {
      this.text = text;
    }

    static Outcome of(List<String> visible, @Nullable Long offset) {
      if (visible.equals(WHOLE) && offset != null && offset == 1) {
        return ALL;
      }
      return visible.isEmpty() && offset == null ? NOTHING : HALF;
    }
  }

  /** How far the commit is when the coordinator dies, and what must become of it. */
  private enum Moment {
    BEFORE_END("before EndTxn arrives", 2, Outcome.ALL),
    CLIENT_GONE("before EndTxn, and so does the client", 2, Outcome.NOTHING),
    PREPARED("Prepare logged, no marker written", CommitStage.FAR, Outcome.ALL),
    SOME_MARKERS("some markers written", 2, Outcome.ALL),
    ALL_MARKERS("all markers written, Complete not logged", CommitStage.FAR, Outcome.ALL),
    ANSWER_LOST("Complete logged, its answer lost", 2, Outcome.ALL);

    private final String text;

    /** Of partition 1; the broker that the coordinator can be cut off from leads partition 0. */
    private final int leader;

    private final Outcome expected;

    Moment(String text, int leader, Outcome expected) {
      this.text = text;
      this.leader = leader;
      this.expected = expected;
    }
  }

  /** Runs the lab. */
  public LabReport run() {
    for (Moment moment : Moment.values()) {
      try (CommitStage stage = CommitStage.open(List.of(CommitStage.FAR, moment.leader))) {
        play(moment, stage);
      }
    }
    return report();
  }

  private void play(Moment moment, CommitStage stage) {
    CompletableFuture<Void> pending = bring(moment, stage);
    String state = stage.transaction().state();
    long markers = stage.markers();
    int successor = stage.kill();
    String client = goOn(moment, stage, pending);
    List<String> visible = CommitStage.without(stage.visible(), NEXT);
    Long offset = stage.offset();
    Outcome outcome = Outcome.of(visible, offset);
    if (outcome != moment.expected) {
      unexpected.add(moment.text);
    }
    if (outcome == Outcome.HALF) {
      halves.add(moment.text);
    }
    if (stage.visible().contains(NEXT)) {
      wentOn++;
    }
    table.row(
        moment.text,
        state,
        markers + " of " + CommitStage.marked().size(),
        "broker " + successor,
        client,
        visible.isEmpty() ? "nothing" : String.join(", ", visible),
        offset == null ? "none" : offset.toString(),
        outcome.text);
  }

  /** Brings the commit to the moment; null if the client has not asked for it yet. */
  private static @Nullable CompletableFuture<Void> bring(Moment moment, CommitStage stage) {
    switch (moment) {
      case BEFORE_END, CLIENT_GONE -> {
        return null;
      }
      case PREPARED -> {
        stage.cutOff();
        return stage.commitUntilPrepared();
      }
      case SOME_MARKERS -> {
        stage.cutOff();
        CompletableFuture<Void> answer = stage.commitUntilPrepared();
        stage.awaitMarkerOfPartition1();
        return answer;
      }
      case ALL_MARKERS -> {
        stage.cutOff();
        CompletableFuture<Void> answer = stage.commitUntilPrepared();
        stage.bringMarkers();
        return answer;
      }
      case ANSWER_LOST -> {
        stage.commitWithoutAnswer();
        return null;
      }
    }
    throw new IllegalArgumentException("no such moment: " + moment);
  }

  /** What the client sees of its commit; after it the next transaction is done. */
  private static String goOn(
      Moment moment, CommitStage stage, @Nullable CompletableFuture<Void> pending) {
    if (moment == Moment.CLIENT_GONE) {
      stage.nextOfSuccessor(NEXT);
      return "gone";
    }
    String saw = seen(pending == null ? stage.commit() : pending);
    stage.next(NEXT);
    return saw;
  }

  private static String seen(CompletableFuture<Void> answer) {
    try {
      answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return "committed";
    } catch (ExecutionException e) {
      return e.getCause() instanceof KafkaException failure
          ? failure.getClass().getSimpleName()
          : String.valueOf(e.getCause());
    } catch (TimeoutException e) {
      return "no answer in " + PATIENCE_SECONDS + " s";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptException(e);
    }
  }

  private LabReport report() {
    int moments = Moment.values().length;
    return new LabReport(
        "coordinator-failover",
        List.of(
            "Three brokers. A transaction has p0 and p1 in two partitions and offset 1 of a group;",
            "broker 1 coordinates it, leads none of these, and is killed while it is committed."),
        null,
        table,
        List.of(
            "The commit is answered once Prepare is logged, here once the markers are in.",
            "The next coordinator reads its log before it answers, here every replica has applied"
                + " it."),
        new Claim(
            "a commit whose coordinator dies at any step is all or nothing.",
            "records and offsets of one transaction, in any number of partitions",
            "read_committed, and committed offsets of the group; a read_uncommitted reader sees p0"
                + " and p1 from the start",
            "acks=all; __transaction_state with three replicas and min.insync.replicas=2; the"
                + " client retries EndTxn under the same producer id and epoch",
            "two brokers lost at once, and effects outside of these partitions"),
        List.of(
            Finding.of(
                "all or nothing, the offset included",
                halves.isEmpty(),
                halves.isEmpty()
                    ? moments + " of " + moments + " failovers"
                    : "not if it dies " + String.join("; ", halves)),
            Finding.of(
                "what the client asked for is done, what it did not ask for is not",
                unexpected.isEmpty(),
                unexpected.isEmpty()
                    ? moments + " of " + moments + " failovers"
                    : "not if it dies " + String.join("; ", unexpected)),
            Finding.of(
                "the transactional id goes on with its next transaction",
                wentOn == moments,
                wentOn + " of " + moments + " failovers")));
  }
}
