package io.fencepost.testkit.prove.main;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class LineTest {
  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "k"})
  void a_record_has_one_text_whether_it_is_seen_in_the_log_or_read(@Nullable String name) {
    byte[] key = name == null ? null : name.getBytes(StandardCharsets.UTF_8);
    byte[] value = "v".getBytes(StandardCharsets.UTF_8);
    ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("t", 0, 0, key, value);
    assertThat(Topics.Line.text(key, value)).isEqualTo(Topics.Line.of(record).text());
  }
}
