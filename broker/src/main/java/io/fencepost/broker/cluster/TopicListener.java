package io.fencepost.broker.cluster;

import org.jspecify.annotations.Nullable;

/**
 * Told of every change of a topic, in order, one at a time, before the change is answered: before
 * is null for a new topic, after is null for a deleted one; otherwise partitions were added, an
 * epoch moved or settings changed. At the start of a broker every known topic is told as new.
 *
 * <p>Called under the controller's lock: a listener may take the locks of partitions, never the
 * other way round.
 */
public interface TopicListener {
  void onTopic(@Nullable TopicState before, @Nullable TopicState after);
}
