package io.fencepost.samples.jobs;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;

/** Money as text: exact, of any size, and legible in a topic. */
public final class Decimals implements Serde<BigDecimal> {
  @Override
  public Serializer<BigDecimal> serializer() {
    return (topic, value) ->
        value == null ? null : value.toPlainString().getBytes(StandardCharsets.US_ASCII);
  }

  /** Refuses what is no number: its record becomes a dead letter. */
  @Override
  public Deserializer<BigDecimal> deserializer() {
    return (topic, bytes) ->
        bytes == null ? null : new BigDecimal(new String(bytes, StandardCharsets.US_ASCII));
  }
}
