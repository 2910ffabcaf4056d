package io.fencepost.samples.cli.dump;

import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * What of a directory is shown.
 *
 * @param topic null for all
 * @param partition -1 for all
 * @param fromOffset inclusive
 * @param toOffset inclusive
 */
public record Selection(
    @Nullable String topic, int partition, long fromOffset, long toOffset, SortedSet<Kind> kinds) {

  boolean takes(Kind kind) {
    return kinds.contains(kind);
  }

  /** Whether only some partitions are wanted. */
  boolean isNarrow() {
    return topic != null || partition >= 0;
  }

  boolean takesPartition(String itsTopic, int number) {
    return (topic == null || topic.equals(itsTopic)) && (partition < 0 || partition == number);
  }

  boolean takesOffsets(long first, long last) {
    return last >= fromOffset && first <= toOffset;
  }
}
