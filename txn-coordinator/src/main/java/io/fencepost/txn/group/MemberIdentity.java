package io.fencepost.txn.group;

import org.jspecify.annotations.Nullable;

/**
 * Who a request claims to come from.
 *
 * @param memberId empty if the client has none yet
 * @param instanceId the name of a static member (KIP-345), null for a dynamic one
 */
public record MemberIdentity(String memberId, @Nullable String instanceId) {}
