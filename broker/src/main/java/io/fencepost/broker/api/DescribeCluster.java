package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerNode;
import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.Member;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DescribeClusterRequest;
import io.fencepost.broker.wire.message.DescribeClusterResponse;

/**
 * DescribeCluster, v0 to v2: cluster id, controller, brokers. v1 adds the endpoint type (only
 * brokers are here to be described), v2 those that are fenced, if asked for.
 */
final class DescribeCluster implements ApiHandler<DescribeClusterRequest, DescribeClusterResponse> {
  private static final byte BROKERS = 1;

  private final ClusterView cluster;

  DescribeCluster(ClusterView cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(
      RequestContext context,
      DescribeClusterRequest request,
      Reply<DescribeClusterResponse> reply) {
    DescribeClusterResponse response = new DescribeClusterResponse();
    if (context.apiVersion() >= 1 && request.endpointType != BROKERS) {
      response.endpointType = request.endpointType;
      response.errorCode = WireError.MISMATCHED_ENDPOINT_TYPE.code();
      response.errorMessage = "This endpoint knows brokers only; ask for endpoint type 1";
      reply.send(response);
      return;
    }
    ClusterState state = cluster.state();
    response.clusterId = state.clusterId();
    response.controllerId = state.controllerId();
    for (Member member : state.members().values()) {
      BrokerNode node = member.node();
      boolean isListed = state.brokers().containsKey(node.id());
      if (!isListed && !(request.includeFencedBrokers && member.epoch() > 0)) {
        continue;
      }
      DescribeClusterResponse.DescribeClusterBroker broker =
          new DescribeClusterResponse.DescribeClusterBroker();
      broker.brokerId = node.id();
      broker.host = node.host();
      broker.port = node.port();
      broker.rack = node.rack();
      broker.isFenced = !isListed;
      response.brokers.add(broker);
    }
    if (request.includeClusterAuthorizedOperations) {
      response.clusterAuthorizedOperations = AuthorizedOperations.CLUSTER;
    }
    reply.send(response);
  }
}
