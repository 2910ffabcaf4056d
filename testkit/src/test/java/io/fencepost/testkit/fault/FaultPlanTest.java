package io.fencepost.testkit.fault;

import static io.fencepost.broker.wire.ApiKey.END_TXN;
import static io.fencepost.broker.wire.ApiKey.PRODUCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.wire.WireError;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The two ways to write a plan down mean the same. */
class FaultPlanTest {
  @Test
  void a_plan_in_code_writes_itself_as_one_line() {
    FaultPlan plan =
        FaultPlan.at(END_TXN)
            .occurrence(3)
            .answerLost()
            .and(
                FaultPlan.at(PRODUCE)
                    .partition("payments", 0)
                    .every(10)
                    .delayed(Duration.ofSeconds(2)))
            .and(FaultPlan.at(END_TXN).rate(0.35, 7).answered(WireError.COORDINATOR_NOT_AVAILABLE))
            .and(FaultPlan.at(PRODUCE).transactionalId("a;b").clientId("c").duplicated())
            .and(FaultPlan.at(FaultPoints.AFTER_SEND).occurrence(17).killJob())
            .and(
                FaultPlan.at(FaultPoints.BEFORE_END)
                    .occurrence(2)
                    .pauseJob(Duration.ofMillis(1500)))
            .and(FaultPlan.at(PRODUCE).occurrence(5).moveLeader("payments", 0))
            .and(FaultPlan.at(PRODUCE).occurrence(9).jumpClock(2, Duration.ofHours(-1)));
    assertThat(plan)
        .hasToString(
            "EndTxn#3:answer-lost; Produce[payments-0]%10:delayed=2s;"
                + " EndTxn~0.35/7:answered=COORDINATOR_NOT_AVAILABLE;"
                + " Produce[txn=\"a;b\", client=c]#1:duplicated; kill job@after-send#17;"
                + " pause job@before-end#2 for 1500ms; move leader of payments-0@Produce#5;"
                + " jump clock 2@Produce#9 by -1h");
    assertThat(FaultPlan.parse(plan.toString())).isEqualTo(plan);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "EndTxn:answer-lost                         | EndTxn#1:answer-lost",
        "EndTxn ~0.5 : answer-lost                  | EndTxn~0.5/1:answer-lost",
        "Produce [ payments-0 , txn = a ] : duplicated | Produce[payments-0, txn=a]#1:duplicated",
        "Produce[client=c,broker=2]:duplicated | Produce[client=c, broker=2]#1:duplicated",
        "Fetch[topic=a.b,group=g]%3:delayed=60000ms | Fetch[topic=a.b, group=g]%3:delayed=1m",
        "kill broker 2@EndTxn                       | kill broker 2@EndTxn#1",
        "kill  broker  2 @ EndTxn #2                | kill broker 2@EndTxn#2",
        "move coordinator of \"x@y\" @EndTxn#2      | move coordinator of \"x@y\"@EndTxn#2",
        "jump clock@Produce#9 by 1h                 | jump clock@Produce#9 by +1h",
        "fill disk@Produce#9 for 2s                 | fill disk@Produce#9 for 2s",
        "fail force@Produce#3;tear tail@before-force ;"
            + "| fail force@Produce#3; tear tail@before-force#1",
        "isolate broker 2@Produce[txn=\" for 1s\"]#4 for 3s"
            + "| isolate broker 2@Produce[txn=\" for 1s\"]#4 for 3s",
        "restart broker@EndTxn#3                    | restart broker@EndTxn#3",
        "Produce[txn=\"a]\\\"\\\\\"]:request-lost   | Produce[txn=\"a]\\\"\\\\\"]#1:request-lost",
      })
  void what_people_write_is_read(String written, String meant) {
    assertThat(FaultPlan.parse(written)).hasToString(meant);
  }

  @Test
  void no_entries_are_no_faults() {
    assertThat(FaultPlan.parse("")).isEqualTo(FaultPlan.NONE);
    assertThat(FaultPlan.parse(" ; ;").isEmpty()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "EndTx#3:answer-lost     | there is no point 'EndTx'; did you mean EndTxn?",
        "endtxn:answer-lost      | there is no point 'endtxn'; did you mean EndTxn?",
        "kill job@after-sent     | there is no point 'after-sent'; did you mean after-send?",
        "EndTxn:anser-lost       | there is no action 'anser-lost'; did you mean answer-lost?",
        "EndTxn:explode          | there is no action 'explode'; it is one of request-lost, answer",
        "kil job@after-send      | there is no act 'kil job'; did you mean kill job?",
        "EndTxn:answered=NOT_CORDINATOR | no error 'NOT_CORDINATOR'; did you mean NOT_COORDINATOR?",
        "EndTxn:answered=not_coordinator | did you mean NOT_COORDINATOR?",
        "EndTxn:answered=NONE    | wants another error than NONE",
        "EndTxn:answered         | there is no error ''",
        "EndTxn                  | a fault is POINT:ACTION, as in 'EndTxn#3:answer-lost'",
        "EndTxn#0:answer-lost    | calls are counted from 1, there is no 0",
        "EndTxn#x:answer-lost    | '#x' is no time of a fault: #3 is the third call",
        "EndTxn~1.5:answer-lost  | a share is above 0 and at most 1, not 1.5",
        "EndTxn~1.5.5:answer-lost | '~1.5.5' is no time of a fault",
        "EndTxn~0.5/99999999999999999999:answer-lost | is no time of a fault",
        "EndTxn:delayed=soon     | 'soon' is no time like 500ms, 2s, 5m or 1h",
        "EndTxn:delayed=0s       | 'delayed' wants a time of whole milliseconds above 0",
        "EndTxn:delayed=-2s      | 'delayed' wants a time of whole milliseconds above 0",
        "EndTxn:delayed=999999999999h | 'delayed' wants a time up to",
        "EndTxn:answer-lost=1    | 'answer-lost' takes no value",
        "EndTxn:failed           | 'failed' can't be done at EndTxn, one of requests; there it is"
            + " request-lost, answer-lost, delayed, duplicated, answered, or an act like 'kill"
            + " job@EndTxn'",
        "after-send:answer-lost  | can't be done at after-send, one of steps of a job",
        "EndTxn[payments]:answer-lost | 'payments' is no partition like payments-0;"
            + " [topic=payments] means all of a topic",
        "EndTxn[tnx=a]:answer-lost | broker=; did you mean txn?",
        "EndTxn[broker=0]:answer-lost | brokers have numbers from 1",
        "EndTxn[broker=two]:answer-lost | brokers have numbers from 1",
        "EndTxn[txn=]:answer-lost | '' is no name, plain or in \"quotes\"",
        "EndTxn[txn=a:answer-lost | a fault is POINT:ACTION",
        "pause job@before-end    | it is written 'pause job@Produce#9 for 2s'",
        "kill job@before-end for 2s | it is written 'kill job@Produce#9', or 'kill job"
            + " 2@Produce#9'",
        "move leader of payments@Produce | 'payments' is no partition like payments-0",
        "kill job of x@after-send | 'kill job' wants no 'of'",
        "move leader 2@Produce   | 'move leader' wants no number 2",
      })
  void what_cant_be_read_is_refused_with_the_nearest_right_word(String written, String message) {
    assertThatThrownBy(() -> FaultPlan.parse("EndTxn#3:answer-lost; " + written))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message)
        .hasMessageEndingWith("(in '" + written + "')");
  }

  @ParameterizedTest
  @ValueSource(strings = {"@", ":", "[", "]", "\"", "#", "a@b@c", "\\", "kill@", "@EndTxn", "=:="})
  void rubbish_is_refused_in_words(String written) {
    assertThatThrownBy(() -> FaultPlan.parse(written))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("(in '");
  }

  @Test
  void every_point_has_a_name_that_plans_can_hold() {
    assertThat(FaultPoints.all())
        .hasSizeGreaterThan(80)
        .allSatisfy(
            point -> {
              FaultPlan plan = FaultPlan.at(point).delayed(Duration.ofSeconds(1));
              assertThat(FaultPlan.parse(plan.toString())).isEqualTo(plan);
              assertThat(point.description()).isNotBlank();
            });
  }
}
