package io.fencepost.samples.dedup;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.math.BigDecimal;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/** A record class as JSON. Money is a string there, so that no reader makes a double of it. */
public final class JsonSerde<T> implements Serde<T> {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  static {
    MAPPER
        .configOverride(BigDecimal.class)
        .setFormat(JsonFormat.Value.forShape(JsonFormat.Shape.STRING));
  }

  private final ObjectReader reader;
  private final ObjectWriter writer;

  /** Reads and writes {@code type}. */
  public JsonSerde(Class<T> type) {
    this.reader = MAPPER.readerFor(type);
    this.writer = MAPPER.writerFor(type);
  }

  @Override
  public Serializer<T> serializer() {
    return (topic, value) -> bytes(topic, value);
  }

  @Override
  public Deserializer<T> deserializer() {
    return (topic, bytes) -> value(topic, bytes);
  }

  private byte @Nullable [] bytes(String topic, @Nullable T value) {
    try {
      return value == null ? null : writer.writeValueAsBytes(value);
    } catch (IOException e) {
      throw new SerializationException("cannot write a record of " + topic + " as JSON", e);
    }
  }

  private @Nullable T value(String topic, byte @Nullable [] bytes) {
    try {
      return bytes == null ? null : reader.readValue(bytes);
    } catch (IOException e) {
      throw new SerializationException("a record of " + topic + " is not the expected JSON", e);
    }
  }
}
