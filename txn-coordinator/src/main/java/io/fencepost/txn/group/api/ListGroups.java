package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.ListGroupsRequest;
import io.fencepost.broker.wire.message.ListGroupsResponse;
import io.fencepost.broker.wire.message.ListGroupsResponse.ListedGroup;
import io.fencepost.txn.group.ClassicGroup;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.GroupShard;
import io.fencepost.txn.group.consumer.ConsumerGroup;
import io.fencepost.txn.shard.ShardRuntime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * ListGroups, versions 0 to 5.
 *
 * <ul>
 *   <li>All groups of this broker, also those of which only offsets are known.
 *   <li>Filters ignore case; an unknown name matches nothing.
 *   <li>Versions: 4 states and their filter (KIP-518); 5 types and their filter: classic and
 *       consumer (KIP-848).
 * </ul>
 */
public final class ListGroups implements ApiHandler<ListGroupsRequest, ListGroupsResponse> {
  private static final String CLASSIC = "classic";
  private static final String CONSUMER = "consumer";

  private final GroupCoordinator groups;

  public ListGroups(GroupCoordinator groups) {
    this.groups = groups;
  }

  @Override
  public void handle(
      RequestContext context, ListGroupsRequest request, Reply<ListGroupsResponse> reply) {
    ListGroupsResponse response = new ListGroupsResponse();
    for (ShardRuntime<GroupShard> runtime : groups.shards()) {
      groups.read(
          runtime,
          shard -> list(shard, request),
          response.groups::addAll,
          error -> {
            if (error != WireError.NOT_COORDINATOR) {
              response.errorCode = error.code();
            }
          });
    }
    reply.send(response);
  }

  private static List<ListedGroup> list(GroupShard shard, ListGroupsRequest request) {
    List<ListedGroup> listed = new ArrayList<>();
    for (String groupId : shard.ids()) {
      ListedGroup entry = entry(shard, groupId);
      if (entry != null
          && matches(request.typesFilter, entry.groupType)
          && matches(request.statesFilter, entry.groupState)) {
        listed.add(entry);
      }
    }
    return listed;
  }

  private static @Nullable ListedGroup entry(GroupShard shard, String groupId) {
    ListedGroup entry = new ListedGroup();
    entry.groupId = groupId;
    ConsumerGroup consumers = shard.findConsumer(groupId);
    if (consumers != null) {
      entry.protocolType = ClassicGroup.CONSUMER;
      entry.groupState = consumers.state().protocolName();
      entry.groupType = CONSUMER;
      return entry;
    }
    ClassicGroup classic = shard.findKnown(groupId);
    if (classic == null) {
      return null;
    }
    entry.protocolType = classic.protocolType();
    entry.groupState = classic.state().protocolName();
    entry.groupType = CLASSIC;
    return entry;
  }

  private static boolean matches(List<String> filter, String name) {
    return filter.isEmpty() || filter.stream().anyMatch(name::equalsIgnoreCase);
  }
}
