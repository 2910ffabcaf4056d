package io.fencepost.streams.store;

/**
 * The topic that a store's changes are written to, as the job found it at its start.
 *
 * @param id the cluster's own for this topic: one of the same name that is made anew has another
 */
public record ChangelogTopic(String name, String id) {}
