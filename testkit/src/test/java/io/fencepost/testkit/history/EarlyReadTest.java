package io.fencepost.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.EndAsked;
import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Sent;
import java.util.List;
import org.junit.jupiter.api.Test;

class EarlyReadTest {
  private static final TopicPartition PAYMENTS = new TopicPartition("payments", 0);
  private static final Sent SENT = new Sent("w.1/1", PAYMENTS, "p1", Outcome.OK, 0);
  private static final EndAsked ASKED = new EndAsked("w.1/1", true);
  private static final Ended COMMITTED = new Ended("w.1/1", true, Outcome.OK);
  private static final Read READ = new Read("r", Isolation.READ_COMMITTED, PAYMENTS, 0, "p1");

  private static Verdict verdict(Event... events) {
    History history = new History();
    List.of(events).forEach(history::add);
    return new EarlyRead().check(history);
  }

  @Test
  void a_read_behind_the_request_holds_and_one_before_it_does_not() {
    assertThat(verdict(SENT, ASKED, READ, COMMITTED)).isEqualTo(new Verdict.Pass(1));
    assertThat(verdict(SENT, READ, ASKED, COMMITTED)).isInstanceOf(Verdict.Fail.class);
    assertThat(verdict(SENT, READ)).isInstanceOf(Verdict.Fail.class);
  }

  @Test
  void a_commit_that_was_answered_had_been_asked_for_though_nobody_wrote_that_down() {
    assertThat(verdict(SENT, COMMITTED, READ)).isEqualTo(new Verdict.Pass(1));
  }

  @Test
  void whether_a_read_came_too_early_is_unknown_if_nobody_wrote_down_the_request() {
    assertThat(verdict(SENT, READ, COMMITTED))
        .isEqualTo(
            new Verdict.Unknown(
                "no event says when the commit of w.1/1 was asked for, and it was read before that"
                    + " was answered",
                List.of(SENT, READ, COMMITTED)));
  }
}
