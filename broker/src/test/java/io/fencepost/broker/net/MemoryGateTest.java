package io.fencepost.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class MemoryGateTest {
  @Test
  void one_holder_may_go_over_the_cap_to_finish_and_others_wait() throws IOException {
    MemoryGate gate = new MemoryGate(100);
    Object first = new Object();
    Object second = new Object();
    gate.take(first, 90, () -> true);
    gate.take(first, 50, () -> true);
    assertThat(gate.usedBytes()).isEqualTo(140);
    assertThatThrownBy(() -> gate.take(second, 1, () -> false)).isInstanceOf(IOException.class);
    gate.take(first, 10, () -> true);
    gate.give(first, 150);
    gate.take(second, 1, () -> false);
    assertThat(gate.usedBytes()).isEqualTo(1);
  }
}
