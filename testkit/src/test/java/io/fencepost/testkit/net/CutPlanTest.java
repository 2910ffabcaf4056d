package io.fencepost.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.wire.ApiKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CutPlanTest {
  @Test
  void the_same_seed_cuts_the_same_answers() {
    assertThat(cuts(0.35, 3, 7)).isEqualTo(cuts(0.35, 3, 7)).isNotEqualTo(cuts(0.35, 3, 8));
  }

  @Test
  void the_share_that_is_cut_is_the_rate() {
    assertThat(cuts(0.35, 0, 1).stream().filter(cut -> cut).count()).isBetween(3_200L, 3_800L);
    assertThat(cuts(0, 0, 1)).doesNotContain(true);
    assertThat(cuts(1, 0, 1)).doesNotContain(false);
  }

  @Test
  void warm_up_answers_and_other_apis_are_spared() {
    assertThat(cuts(1, 3, 1).subList(0, 5)).containsExactly(false, false, false, true, true);
    CutPlan plan = CutPlan.seeded(ApiKey.PRODUCE, 1, 0, 1);
    assertThat(plan.cuts(ApiKey.METADATA)).isFalse();
    assertThat(plan.cuts(ApiKey.PRODUCE)).isTrue();
  }

  @Test
  void an_address_is_read_and_written_alike() {
    assertThat(Endpoint.parse("localhost:9092")).isEqualTo(new Endpoint("localhost", 9092));
    assertThat(Endpoint.parse("[::1]:9092").toString()).isEqualTo("[::1]:9092");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "localhost", ":9092", "localhost:", "localhost:x", "localhost:70000"})
  void what_is_no_address_is_refused(String text) {
    assertThatThrownBy(() -> Endpoint.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  private static List<Boolean> cuts(double rate, int warmUp, long seed) {
    CutPlan plan = CutPlan.seeded(ApiKey.PRODUCE, rate, warmUp, seed);
    List<Boolean> cuts = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      cuts.add(plan.cuts(ApiKey.PRODUCE));
    }
    return cuts;
  }
}
