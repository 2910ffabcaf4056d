package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The input record that an output record was made of: {@code orders-0@5}, or {@code 0@5} where the
 * output is made of one topic only. A job that makes several of one record numbers them: {@code
 * orders-0@5#2}.
 */
record Origin(TopicPartition partition, long offset) {
  /**
   * Reads it.
   *
   * @param onlyTopic what the output is made of, if that is one topic; else null
   * @return null if it names no record
   */
  static @Nullable Origin parse(String text, @Nullable String onlyTopic) {
    int at = text.lastIndexOf('@');
    int number = text.indexOf('#', at);
    int dash = text.lastIndexOf('-', at);
    String topic = dash > 0 ? text.substring(0, dash) : onlyTopic;
    if (at < 0 || topic == null) {
      return null;
    }
    try {
      int partition = Integer.parseInt(text, dash + 1, at, 10);
      long offset = Long.parseLong(text, at + 1, number < 0 ? text.length() : number, 10);
      return new Origin(new TopicPartition(topic, partition), offset);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
