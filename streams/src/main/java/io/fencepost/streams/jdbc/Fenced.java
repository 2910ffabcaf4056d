package io.fencepost.streams.jdbc;

import org.apache.kafka.common.TopicPartition;

/** Another sink has taken this partition in the database since this one did. */
final class Fenced extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Fenced(TopicPartition partition, Claim claim) {
    super(
        "the database no longer has "
            + partition
            + " at offset "
            + claim.nextOffset()
            + " under owner epoch "
            + claim.epoch()
            + ": another sink of the same name has taken it");
  }
}
