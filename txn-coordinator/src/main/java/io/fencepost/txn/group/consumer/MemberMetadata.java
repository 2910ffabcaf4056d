package io.fencepost.txn.group.consumer;

import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a member has said about itself.
 *
 * @param topicNames what it subscribes to by name
 * @param topicRegex what it subscribes to by pattern (RE2 syntax), null if it does not
 * @param rebalanceTimeoutMs how long it may take to give partitions up
 * @param assignor the assignor it wishes for, null if it does not care
 * @param classic what it said in the classic protocol, null if it speaks the newer one
 */
public record MemberMetadata(
    @Nullable String instanceId,
    @Nullable String rackId,
    String clientId,
    String clientHost,
    SortedSet<String> topicNames,
    @Nullable String topicRegex,
    int rebalanceTimeoutMs,
    @Nullable String assignor,
    @Nullable Classic classic) {
  static final MemberMetadata NONE =
      new MemberMetadata(null, null, "", "", new TreeSet<>(), null, -1, null, null);

  /** A member of the classic protocol in a group of the newer one. */
  public record Classic(int sessionTimeoutMs, List<ClassicProtocol> protocols) {}

  boolean subscribesLike(MemberMetadata other) {
    return topicNames.equals(other.topicNames) && Objects.equals(topicRegex, other.topicRegex);
  }
}
