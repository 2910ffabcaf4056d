package io.fencepost.testkit.junit;

import java.util.List;
import java.util.function.Function;
import org.apache.kafka.common.errors.SerializationException;
import org.jspecify.annotations.Nullable;

/** Records of one topic, serialized, and how such are shown. */
record TopicContent(
    String topic,
    List<KeyValue<byte[], byte[]>> records,
    Function<byte[], String> keyText,
    Function<byte[], String> valueText) {

  /** Empty if there is none. */
  String key(byte @Nullable [] key) {
    return key == null ? "" : shown(key, keyText);
  }

  String value(byte @Nullable [] value) {
    return value == null ? "null" : shown(value, valueText);
  }

  String text(byte @Nullable [] key, byte @Nullable [] value) {
    return key == null ? value(value) : key(key) + "=" + value(value);
  }

  /** What is none of these, as a job that is wrong may write it, is shown as it is. */
  private static String shown(byte[] bytes, Function<byte[], String> text) {
    try {
      return text.apply(bytes);
    } catch (SerializationException e) {
      return Records.text(bytes);
    }
  }
}
