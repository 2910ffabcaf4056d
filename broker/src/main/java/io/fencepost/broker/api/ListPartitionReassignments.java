package io.fencepost.broker.api;

import io.fencepost.broker.wire.message.ListPartitionReassignmentsRequest;
import io.fencepost.broker.wire.message.ListPartitionReassignmentsResponse;

/** ListPartitionReassignments, v0: partitions never move here, so none are on their way. */
final class ListPartitionReassignments
    implements ApiHandler<ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse> {
  @Override
  public void handle(
      RequestContext context,
      ListPartitionReassignmentsRequest request,
      Reply<ListPartitionReassignmentsResponse> reply) {
    ListPartitionReassignmentsResponse response = new ListPartitionReassignmentsResponse();
    response.errorMessage = null;
    reply.send(response);
  }
}
