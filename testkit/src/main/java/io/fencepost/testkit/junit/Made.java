package io.fencepost.testkit.junit;

import io.fencepost.testkit.history.Content;
import io.fencepost.testkit.history.Event.Takes;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is to be made of the records of an input, each by itself. Immutable.
 *
 * @param each what is made of each input record, in their order
 */
record Made(TopicContent input, TopicContent output, List<List<KeyValue<byte[], byte[]>>> each) {

  /**
   * Whether all of the output is that of single records: else nobody knows what is made of what.
   */
  boolean isOfSingles() {
    Map<ByteBuffer, Integer> counts = new HashMap<>();
    output.records().forEach(it -> counts.merge(bytes(it), 1, Integer::sum));
    each.forEach(some -> some.forEach(it -> counts.merge(bytes(it), -1, Integer::sum)));
    return counts.values().stream().allMatch(it -> it == 0);
  }

  private static ByteBuffer bytes(KeyValue<byte[], byte[]> record) {
    return OutputMatch.comparable(record.key(), record.value());
  }

  /** Of which input records there is an output. */
  Takes takes() {
    return each.stream().allMatch(it -> it.size() == 1) ? Takes.EACH : Takes.SOME;
  }

  /** Whether each record is a number, and goes on as it is. */
  boolean isOfAmounts() {
    if (takes() != Takes.EACH || each.isEmpty()) {
      return false;
    }
    for (int i = 0; i < each.size(); i++) {
      BigDecimal in = amount(input, input.records().get(i).value());
      BigDecimal out = amount(output, each.get(i).get(0).value());
      if (in == null || out == null || in.compareTo(out) != 0) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable BigDecimal amount(TopicContent content, byte @Nullable [] value) {
    return Content.amount(content.value(value));
  }
}
