package io.fencepost.testkit.fault;

import static io.fencepost.broker.wire.ApiKey.END_TXN;
import static io.fencepost.broker.wire.ApiKey.FETCH;
import static io.fencepost.broker.wire.ApiKey.PRODUCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.sim.SimClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is hit, what is remembered. */
class FaultsTest {
  private static final FaultFacts A = FaultFacts.NONE.transaction("a").partition("t", 0);
  private static final FaultFacts B = FaultFacts.NONE.transaction("b").partition("t", 1);

  private final SimClock clock = new SimClock();

  @Test
  void the_nth_call_is_hit_and_no_other() {
    Faults faults = faults("EndTxn#3:answer-lost");
    assertThat(hits(faults, 5)).containsExactly(3);
    assertThat(faults.decide(FaultPoints.of(PRODUCE), A)).isEqualTo(Decision.PASS);
  }

  @Test
  void every_nth_call_is_hit() {
    assertThat(hits(faults("EndTxn%3:answer-lost"), 10)).containsExactly(3, 6, 9);
  }

  @Test
  void a_share_is_hit_and_the_same_seed_hits_the_same_calls() {
    List<Integer> hit = hits(faults("EndTxn~0.35/7:answer-lost"), 10_000);
    assertThat(hit).hasSizeBetween(3_200, 3_800);
    assertThat(hits(faults("EndTxn~0.35/7:answer-lost"), 10_000)).isEqualTo(hit);
    assertThat(hits(faults("EndTxn~0.35/8:answer-lost"), 10_000)).isNotEqualTo(hit);
    assertThat(hits(faults("EndTxn~1/8:answer-lost"), 10)).hasSize(10);
  }

  @Test
  void calls_that_the_filter_keeps_out_do_not_count() {
    Faults faults = faults("EndTxn[txn=b]#2:answer-lost; EndTxn[t-0]#2:duplicated");
    assertThat(change(faults, A)).isEmpty();
    assertThat(change(faults, B)).isEmpty();
    assertThat(change(faults, B)).isEqualTo("answer-lost");
    assertThat(change(faults, A)).isEqualTo("duplicated");
    assertThat(faults.fired().get(0).occurrence()).isEqualTo(2);
  }

  @Test
  void one_change_is_done_to_a_call_and_all_acts_beside_it() {
    Faults faults =
        faults(
            "kill broker 1@EndTxn; EndTxn:answer-lost; EndTxn:duplicated; tear tail@EndTxn#1;"
                + " move coordinator@EndTxn#2");
    Decision first = faults.decide(FaultPoints.of(END_TXN), A);
    assertThat(String.valueOf(first.change())).contains("EndTxn#1 answer-lost (t-0, txn=a)");
    assertThat(first.acts())
        .extracting(fired -> fired.action().toString())
        .containsExactly("kill broker 1", "tear tail");
    assertThat(faults.unfired())
        .extracting(Faults.Unfired::toString)
        .containsExactly(
            "EndTxn#1:duplicated (1 call passed there)",
            "move coordinator@EndTxn#2 (1 call passed there)");
  }

  @Test
  void what_was_done_is_remembered_with_the_time_and_the_plan_that_does_it_again() {
    Faults faults = faults("EndTxn%2:answer-lost");
    clock.advanceMs(5);
    hits(faults, 4);
    Fired last = faults.fired().get(1);
    assertThat(last.wallMs()).isEqualTo(SimClock.DEFAULT_START_MS + 5);
    assertThat(last.again()).hasToString("EndTxn#4:answer-lost");
    assertThat(last).hasToString("2026-09-21T14:13:20.005Z EndTxn#4 answer-lost (t-0, txn=a)");
    assertThat(faults.fireCount(0)).isEqualTo(2);
    assertThat(faults.unfired()).isEmpty();
  }

  @Test
  void healed_faults_break_nothing_and_go_on_counting() {
    Faults faults = faults("EndTxn%1:answer-lost");
    assertThat(hits(faults, 1)).hasSize(1);
    faults.heal();
    assertThat(hits(faults, 4)).isEmpty();
    assertThat(faults.passed()).containsOnlyKeys(FaultPoints.of(END_TXN)).containsValue(5L);
  }

  @Test
  void observers_are_told_who_passes_and_what_is_done() {
    List<String> told = new ArrayList<>();
    Faults faults =
        faults("EndTxn#2:answer-lost")
            .observedBy(
                new FaultObserver() {
                  @Override
                  public void onPassed(FaultPoint point, long occurrence, FaultFacts facts) {
                    told.add(point + "#" + occurrence);
                  }

                  @Override
                  public void onFired(Fired fired) {
                    told.add(fired.action().toString());
                  }
                });
    hits(faults, 2);
    faults.decide(FaultPoints.of(FETCH), B);
    assertThat(told).containsExactly("EndTxn#1", "EndTxn#2", "answer-lost", "Fetch#1");
  }

  private Faults faults(String plan) {
    return Faults.of(FaultPlan.parse(plan), clock);
  }

  private static List<Integer> hits(Faults faults, int calls) {
    List<Integer> hit = new ArrayList<>();
    for (int i = 1; i <= calls; i++) {
      if (!change(faults, A).isEmpty()) {
        hit.add(i);
      }
    }
    return hit;
  }

  private static String change(Faults faults, FaultFacts facts) {
    Fired change = faults.decide(FaultPoints.of(END_TXN), facts).change();
    return change == null ? "" : change.action().toString();
  }
}
