package io.fencepost.streams.task;

import org.apache.kafka.common.KafkaException;

/**
 * The changelog of a store is no longer the topic that it was: what it held is gone from the
 * cluster, and whatever is written to its successor would be a fragment.
 */
public final class ChangelogLost extends KafkaException {
  public ChangelogLost(String topic, String what) {
    super(
        "changelog topic "
            + topic
            + " "
            + what
            + ": the state that it held is gone from the cluster, and a copy is at most in the"
            + " state directories of the job's instances. Find out who deletes topics. To go on"
            + " with empty state, stop all instances, delete the topic and those directories, and"
            + " reset the group's offsets if the state is to be built anew from the input");
  }
}
