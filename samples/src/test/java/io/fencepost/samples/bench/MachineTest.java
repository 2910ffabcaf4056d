package io.fencepost.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class MachineTest {
  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

  @Test
  void busy_is_all_but_idle_and_waiting_and_guests_count_once() {
    Machine.Mark mark = Machine.parse("cpu  100 10 50 800 40 3 2 5 90 9", Duration.ZERO);
    assertThat(mark.busyTicks()).isEqualTo(100 + 10 + 50 + 3 + 2 + 5);
    assertThat(mark.allTicks()).isEqualTo(mark.busyTicks() + 800 + 40);
  }

  @Test
  void another_first_line_is_refused() {
    assertThatThrownBy(() -> Machine.parse("intr 1 2", Duration.ZERO))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void what_nobody_of_ours_took_is_the_others_share() {
    // Two cores for ten seconds: 15 s busy, of which the broker took 6 s and this JVM 4 s.
    Machine.Mark begin = new Machine.Mark(1_000, 9_000, Duration.ofSeconds(1));
    Machine.Mark end = new Machine.Mark(2_500, 11_000, Duration.ofSeconds(5));
    assertThat(Machine.othersPercent(begin, end, Duration.ofSeconds(6), TEN_SECONDS, 2))
        .isCloseTo(25, within(1e-9));
  }

  @Test
  void a_quiet_machine_has_no_others_whatever_the_clocks_round() {
    Machine.Mark begin = new Machine.Mark(0, 0, Duration.ZERO);
    Machine.Mark end = new Machine.Mark(999, 2_000, Duration.ofSeconds(4));
    assertThat(Machine.othersPercent(begin, end, Duration.ofSeconds(6), TEN_SECONDS, 2)).isZero();
  }
}
