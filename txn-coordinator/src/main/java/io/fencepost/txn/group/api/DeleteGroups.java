package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DeleteGroupsRequest;
import io.fencepost.broker.wire.message.DeleteGroupsResponse;
import io.fencepost.txn.group.OffsetRemovals;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * DeleteGroups, versions 0 to 3.
 *
 * <ul>
 *   <li>Deletes groups without members, with their offsets, the staged ones too.
 *   <li>Each name is answered once. NON_EMPTY_GROUP while there are members.
 *   <li>Versions: 3 an error message.
 * </ul>
 */
public final class DeleteGroups implements ApiHandler<DeleteGroupsRequest, DeleteGroupsResponse> {
  private final OffsetRemovals removals;

  public DeleteGroups(OffsetRemovals removals) {
    this.removals = removals;
  }

  @Override
  public void handle(
      RequestContext context, DeleteGroupsRequest request, Reply<DeleteGroupsResponse> reply) {
    DeleteGroupsResponse response = new DeleteGroupsResponse();
    SortedSet<String> names = new TreeSet<>(request.groupsNames);
    if (names.isEmpty()) {
      reply.send(response);
      return;
    }
    Gather<WireError> gather =
        new Gather<>(
            names.size(),
            errors -> {
              int i = 0;
              for (String name : names) {
                response.results.add(result(name, errors.get(i++)));
              }
              reply.send(response);
            });
    List<String> ordered = List.copyOf(names);
    for (int i = 0; i < ordered.size(); i++) {
      int place = i;
      removals.deleteGroup(ordered.get(i), error -> gather.put(place, error));
    }
  }

  private static DeleteGroupsResponse.DeletableGroupResult result(String name, WireError error) {
    DeleteGroupsResponse.DeletableGroupResult result =
        new DeleteGroupsResponse.DeletableGroupResult();
    result.groupId = name;
    result.errorCode = error.code();
    if (error == WireError.NON_EMPTY_GROUP) {
      result.errorMessage = "Group " + name + " has members; stop them, then delete it.";
    } else if (error != WireError.NONE) {
      result.errorMessage = error.sentence();
    }
    return result;
  }
}
