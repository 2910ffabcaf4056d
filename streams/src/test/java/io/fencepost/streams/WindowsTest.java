package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
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
  void nor_does_a_join_or_a_retention_take_one() {
    Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
    JoinWindow window = JoinWindow.of(MINUTE);
    assertRefused(() -> JoinWindow.of(forEver), "difference of a join window PT");
    assertRefused(
        () -> window.before(Duration.ofNanos(5)), "before of a join window PT0.000000005S");
    assertRefused(() -> window.grace(Duration.ofMillis(-1)), "grace of a join window PT-0.001S");
    Flow<String, String> flow = Job.named("j").from("in", Serdes.String(), Serdes.String());
    assertRefused(() -> flow.deduplicate("seen", forEver), "retention of seen PT");
    assertRefused(() -> flow.deduplicate("seen", Duration.ofMillis(-1)), "seen PT-0.001S");
    assertRefused(() -> flow.deduplicate("seen", Duration.ZERO), "seen must be at least");
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
