package io.fencepost.txn.group.consumer;

import org.jspecify.annotations.Nullable;

/** A member as the log knows it. Immutable. */
public record ConsumerMember(String id, MemberMetadata metadata, MemberProgress progress) {
  public int epoch() {
    return progress.epoch();
  }

  public @Nullable String instanceId() {
    return metadata.instanceId();
  }

  public boolean isClassic() {
    return metadata.classic() != null;
  }

  /** Everything that nobody else may have. */
  OwnedPartitions holds() {
    return progress.assigned().plus(progress.revoking());
  }

  static ConsumerMember fresh(String id) {
    return new ConsumerMember(id, MemberMetadata.NONE, MemberProgress.NEW);
  }
}
