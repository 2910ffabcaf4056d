package io.fencepost.testkit.report;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Verification;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A run that goes wrong in many ways: a zombie ends its successor's transaction, a transaction is
 * torn, a record stands twice, and the last stable offset moves back. One value is a script.
 */
public final class TornRun {
  /** Sets {@code window.hit} where it is not escaped. */
  public static final String SCRIPT =
      "</script><script>window.hit=1</script><img src=x onerror=hit=1>";

  static final TopicPartition PAYMENTS = new TopicPartition("payments", 0);
  static final TopicPartition ACCEPTED = new TopicPartition("accepted", 1);
  static final TopicPartition HOSTILE = new TopicPartition("<b onclick=hit=1>\u202e'\"&", 0);

  private static final long START_MS = 1_790_000_000_000L;

  private final History history = new History();
  private final boolean isTimed;
  private final Map<TopicPartition, Long> ends = new LinkedHashMap<>();
  private long atMs = START_MS;

  private TornRun(boolean isTimed) {
    this.isTimed = isTimed;
  }

  /** The run, with what the checks say of it. */
  public static Run run() {
    return run(true);
  }

  /** The same, with times or without. */
  static Run run(boolean isTimed) {
    History history = new TornRun(isTimed).write();
    return Run.of("zombie", history, Verification.verdicts(history, Verification.checks()))
        .planned("pause job@after-send#9 for 3s")
        .rerunBy("./fencepost prove payments --plan 'pause job@after-send#9 for 3s'");
  }

  private void add(Event event) {
    atMs += 7;
    if (isTimed) {
      history.addAt(event, atMs);
    } else {
      history.add(event);
    }
  }

  private long send(String transaction, TopicPartition partition, String value) {
    long offset = ends.merge(partition, 1L, Long::sum) - 1;
    add(new Event.SendAsked(transaction, partition, value));
    add(new Event.Sent(transaction, partition, value, Outcome.OK, offset));
    return offset;
  }

  private void end(String transaction, boolean commit, Outcome outcome, TopicPartition partition) {
    add(new Event.EndAsked(transaction, commit));
    add(new Event.Ended(transaction, commit, outcome));
    ends.merge(partition, 1L, Long::sum); // the marker
  }

  private void read(TopicPartition partition, long offset, String value) {
    add(new Event.Read("reader", Isolation.READ_COMMITTED, partition, offset, value));
  }

  private History write() {
    add(new Event.Opened("writer-1", "writer-1.1"));
    add(new Event.Opened("teller-1", "teller-1.1"));
    for (int i = 1; i <= 4; i++) {
      send("writer-1.1/" + i, PAYMENTS, "w" + i);
      end("writer-1.1/" + i, true, Outcome.OK, PAYMENTS);
      send("teller-1.1/" + i, ACCEPTED, "a" + i);
      end("teller-1.1/" + i, i != 3, Outcome.OK, ACCEPTED);
    }
    add(new Event.Fault("pause job 1 for 3s"));
    long script = send("teller-1.1/5", ACCEPTED, SCRIPT);
    long torn = send("teller-1.1/5", PAYMENTS, "torn");
    atMs += 900;
    add(new Event.EndAsked("teller-1.1/5", true));
    add(new Event.Opened("teller-1", "teller-1.2"));
    long lost = send("teller-1.2/1", ACCEPTED, "aborted");
    add(new Event.Late("teller-1.1", "END", Outcome.OK, ""));
    end("teller-1.2/1", false, Outcome.OK, ACCEPTED);
    add(new Event.Repair("job 1 goes on"));
    send(Event.plain("alone"), HOSTILE, "alone");
    add(new Event.SendAsked(Event.plain("never"), HOSTILE, "never"));
    read(PAYMENTS, 0, "w1");
    read(PAYMENTS, 2, "w2");
    read(PAYMENTS, torn, "torn");
    read(PAYMENTS, torn + 2, "w2");
    read(ACCEPTED, 0, "a1");
    read(ACCEPTED, lost, "aborted");
    add(new Event.Passed("reader", Isolation.READ_COMMITTED, ACCEPTED, script + 5));
    add(new Event.Watermarks("reader", PAYMENTS, 9, 10));
    add(new Event.Watermarks("reader", PAYMENTS, 4, 11));
    add(new Event.Finished());
    return history;
  }
}
