package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.message.ListGroupsRequest;
import io.fencepost.broker.wire.message.ListGroupsResponse;
import io.fencepost.broker.wire.message.ListGroupsResponse.ListedGroup;
import io.fencepost.txn.group.ClassicGroup;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.GroupShard;
import io.fencepost.txn.shard.ShardRuntime;
import java.util.ArrayList;
import java.util.List;

/**
 * ListGroups, versions 0 to 5.
 *
 * <ul>
 *   <li>All groups of this broker, also those of which only offsets are known.
 *   <li>Filters ignore case; an unknown name matches nothing.
 *   <li>Versions: 4 states and their filter (KIP-518); 5 types and their filter (KIP-848; all
 *       groups are classic).
 * </ul>
 */
public final class ListGroups implements ApiHandler<ListGroupsRequest, ListGroupsResponse> {
  private static final String CLASSIC = "classic";

  private final GroupCoordinator groups;

  public ListGroups(GroupCoordinator groups) {
    this.groups = groups;
  }

  @Override
  public void handle(
      RequestContext context, ListGroupsRequest request, Reply<ListGroupsResponse> reply) {
    ListGroupsResponse response = new ListGroupsResponse();
    if (matches(request.typesFilter, CLASSIC)) {
      for (ShardRuntime<GroupShard> runtime : groups.shards()) {
        groups.read(
            runtime,
            shard -> list(shard, request.statesFilter),
            response.groups::addAll,
            error -> response.errorCode = error.code());
      }
    }
    reply.send(response);
  }

  private static List<ListedGroup> list(GroupShard shard, List<String> states) {
    List<ListedGroup> listed = new ArrayList<>();
    for (String groupId : shard.ids()) {
      ClassicGroup group = shard.findKnown(groupId);
      if (group != null && matches(states, group.state().protocolName())) {
        ListedGroup entry = new ListedGroup();
        entry.groupId = groupId;
        entry.protocolType = group.protocolType();
        entry.groupState = group.state().protocolName();
        entry.groupType = CLASSIC;
        listed.add(entry);
      }
    }
    return listed;
  }

  private static boolean matches(List<String> filter, String name) {
    return filter.isEmpty() || filter.stream().anyMatch(name::equalsIgnoreCase);
  }
}
