package io.fencepost.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
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
}
