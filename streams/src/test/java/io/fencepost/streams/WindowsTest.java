package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WindowsTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  void there_is_no_grace_unless_it_is_given() {
    assertThat(Windows.tumbling(MINUTE).grace()).isZero();
    assertThat(Windows.session(MINUTE).grace(Duration.ofSeconds(1)).grace()).hasSeconds(1);
    assertThat(Windows.hopping(MINUTE, MINUTE)).isEqualTo(Windows.tumbling(MINUTE));
  }

  @Test
  void what_is_no_time_in_milliseconds_is_refused() {
    assertRefused(() -> Windows.tumbling(Duration.ZERO), "size must be at least");
    assertRefused(() -> Windows.tumbling(Duration.ofNanos(1_500_000)), "size PT0.0015S");
    assertRefused(() -> Windows.session(Duration.ofMillis(-1)), "gap PT-0.001S");
    assertRefused(() -> Windows.session(Duration.ofSeconds(Long.MAX_VALUE)), "gap PT");
    assertRefused(() -> Windows.tumbling(MINUTE).grace(Duration.ofMillis(-1)), "grace PT-0.001S");
  }

  @Test
  void an_advance_above_the_size_is_refused() {
    assertRefused(() -> Windows.hopping(MINUTE, MINUTE.plusMillis(1)), "without a window");
  }

  private static void assertRefused(Runnable definition, String message) {
    assertThatThrownBy(definition::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
