package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import java.util.List;

/** The topics of a campaign whose logs lose records: by compaction, and by retention. */
public final class Shrinking {
  /** Compacted. The key of a record is the writer in the {@link Posting.Key} of its value. */
  public static final String COMPACTED = "rates";

  /** Trimmed from its start to a size. */
  public static final String TRIMMED = "ticks";

  public static final List<String> TOPICS = List.of(COMPACTED, TRIMMED);

  private Shrinking() {}

  /** Whether records of that partition may go. */
  public static boolean includes(TopicPartition partition) {
    return TOPICS.contains(partition.topic());
  }

  static boolean isCompacted(TopicPartition partition) {
    return partition.topic().equals(COMPACTED);
  }
}
