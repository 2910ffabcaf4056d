package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Cleanup;
import io.fencepost.testkit.history.Event.Cleanup.Policy;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The topics of a history whose logs lose records: by compaction, and by retention. Without any
 * {@link Cleanup} event they are those of a campaign.
 */
public final class Shrinking {
  /** A campaign's compacted topic. */
  public static final String COMPACTED = "rates";

  /** A campaign's topic that is trimmed from its start to a size. */
  public static final String TRIMMED = "ticks";

  public static final List<String> TOPICS = List.of(COMPACTED, TRIMMED);

  /** How a campaign's logs lose records. */
  public static final List<Cleanup> CLEANUPS =
      List.of(new Cleanup(COMPACTED, Policy.COMPACT), new Cleanup(TRIMMED, Policy.DELETE));

  private final TreeMap<String, Policy> policies = new TreeMap<>();

  private Shrinking() {}

  static Shrinking of(History history) {
    Shrinking shrinking = new Shrinking();
    List<Cleanup> declared = history.all(Cleanup.class);
    (declared.isEmpty() ? CLEANUPS : declared)
        .forEach(cleanup -> shrinking.policies.put(cleanup.topic(), cleanup.policy()));
    return shrinking;
  }

  /** Whether that partition belongs to a campaign, and records of it may go. */
  public static boolean includes(TopicPartition partition) {
    return TOPICS.contains(partition.topic());
  }

  /** How logs of the history lose records, each once. */
  SortedSet<Policy> policies() {
    return new TreeSet<>(policies.values());
  }

  /** Whether records of that partition may go. */
  boolean has(TopicPartition partition) {
    return policies.containsKey(partition.topic());
  }

  boolean isCompacted(TopicPartition partition) {
    return policies.get(partition.topic()) == Policy.COMPACT;
  }
}
