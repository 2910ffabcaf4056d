package io.fencepost.txn.group;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import org.jspecify.annotations.Nullable;

/** What a fetch may see of one partition: an offset, that there is none (-1), or an error. */
public record FetchedOffset(
    TopicPartition partition, WireError error, long offset, int leaderEpoch, String metadata) {

  static FetchedOffset of(TopicPartition partition, @Nullable StoredOffset stored) {
    return stored == null
        ? new FetchedOffset(partition, WireError.NONE, -1, -1, "")
        : new FetchedOffset(
            partition, WireError.NONE, stored.offset(), stored.leaderEpoch(), stored.metadata());
  }

  static FetchedOffset unstable(TopicPartition partition) {
    return new FetchedOffset(partition, WireError.UNSTABLE_OFFSET_COMMIT, -1, -1, "");
  }
}
