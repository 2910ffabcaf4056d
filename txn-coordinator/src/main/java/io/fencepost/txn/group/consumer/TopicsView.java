package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** The cluster's topics at one moment, as far as groups care. Immutable. */
public interface TopicsView {
  /** Null if there is no such topic. */
  @Nullable Uuid idOf(String name);

  /** Null if there is no such topic. */
  @Nullable String nameOf(Uuid topicId);

  /** 0 if there is no such topic. */
  int partitionsOf(Uuid topicId);

  /** All topics that a pattern may match; not the internal ones. */
  SortedSet<String> names();

  /** Two views of one object are the same: what it says is looked at once. */
  Object version();
}
