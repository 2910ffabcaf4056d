package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The input record that an output record was made of: {@code orders-0@5}, or {@code 0@5} where the
 * output is made of one topic only. A job that makes several of one record numbers them: {@code
 * orders-0@5#2}.
 */
record Origin(TopicPartition partition, long offset) {
  private static final Pattern FORM = Pattern.compile("(?:(.+)-)?(\\d{1,9})@(\\d{1,18})(?:#.*)?");

  /**
   * Reads it.
   *
   * @param onlyTopic what the output is made of, if that is one topic; else null
   * @return null if it names no record
   */
  static @Nullable Origin parse(String text, @Nullable String onlyTopic) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return null;
    }
    String topic = form.group(1) == null ? onlyTopic : form.group(1);
    return topic == null
        ? null
        : new Origin(
            new TopicPartition(topic, Integer.parseInt(form.group(2))),
            Long.parseLong(form.group(3)));
  }

  static String of(Event.Read input) {
    return input.partition() + "@" + input.offset();
  }
}
