package io.fencepost.streams.store;

/**
 * The topic that a store's changes are written to, as the job found it at its start.
 *
 * @param id the cluster's own for this topic: one of the same name that is made anew has another
 * @param deleteRetentionMs for so long at least a deletion is there to be read, once the topic was
 *     compacted; {@link #FOR_EVER} if that is not known
 */
public record ChangelogTopic(String name, String id, long deleteRetentionMs) {
  public static final long FOR_EVER = Long.MAX_VALUE;
}
