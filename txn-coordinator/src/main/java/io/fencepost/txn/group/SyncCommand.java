package io.fencepost.txn.group;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A SyncGroup request, free of wire versions.
 *
 * @param protocolType what the client believes, null if its version does not say (KIP-559)
 * @param protocol likewise
 * @param assignments by member id; of interest from the leader only
 */
public record SyncCommand(
    MemberIdentity identity,
    int generation,
    @Nullable String protocolType,
    @Nullable String protocol,
    SortedMap<String, byte[]> assignments) {}
