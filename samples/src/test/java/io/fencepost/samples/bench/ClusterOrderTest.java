package io.fencepost.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterOrderTest {
  @ParameterizedTest
  @EnumSource
  void an_order_is_read_as_it_was_written(ClusterOrder.Verb verb) {
    ClusterOrder order = new ClusterOrder(verb, 2);
    assertThat(ClusterOrder.parse(order.line())).isEqualTo(order);
  }

  @Test
  void a_line_is_a_verb_and_a_broker() {
    assertThat(new ClusterOrder(ClusterOrder.Verb.KILL, 3).line()).isEqualTo("kill 3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "kill", "kill x", "stop 1", "kill 1 2"})
  void anything_else_is_refused(String line) {
    assertThatIllegalArgumentException().isThrownBy(() -> ClusterOrder.parse(line));
  }
}
