package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class WindowedTest {
  private static final Headers HEADERS = new ProducerRecord<>("t", "").headers();

  private final Serde<Windowed<String>> serde = Windowed.serde(Serdes.String());

  @Test
  void the_format_is_end_start_and_key() {
    Windowed<String> window = new Windowed<>("ab", -1, 258);
    byte[] bytes = HexFormat.of().parseHex("80000000000001027fffffffffffffff6162");
    assertThat(serde.serializer().serialize("t", window)).isEqualTo(bytes);
    assertThat(serde.serializer().serialize("t", HEADERS, window)).isEqualTo(bytes);
    assertThat(serde.deserializer().deserialize("t", bytes)).isEqualTo(window);
    assertThat(serde.deserializer().deserialize("t", HEADERS, bytes)).isEqualTo(window);
    assertThat(window).hasToString("ab[-1, 258)");
  }

  @Test
  void bytes_sort_by_end_then_start_then_key() {
    List<Windowed<String>> sorted =
        List.of(
            new Windowed<>("b", -20, -10),
            new Windowed<>("z", -10, 0),
            new Windowed<>("", -5, 0),
            new Windowed<>("a", -5, 0),
            new Windowed<>("aa", -5, 0),
            new Windowed<>("a", 0, 10));
    List<Windowed<String>> byBytes =
        sorted.stream()
            .map(window -> serde.serializer().serialize("t", window))
            .sorted(Arrays::compareUnsigned)
            .map(bytes -> serde.deserializer().deserialize("t", bytes))
            .toList();
    assertThat(byBytes).isEqualTo(sorted);
  }

  @Test
  void null_stays_null_and_what_is_too_short_or_has_no_key_is_refused() {
    assertThat(serde.serializer().serialize("t", null)).isNull();
    assertThat(serde.deserializer().deserialize("t", null)).isNull();
    assertThatThrownBy(() -> serde.deserializer().deserialize("t", new byte[15]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 15");
    assertThatThrownBy(() -> serde.serializer().serialize("t", new Windowed<>(null, 0, 1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
