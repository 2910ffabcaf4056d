package io.fencepost.broker.api;

import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.ListConfigResourcesRequest;
import io.fencepost.broker.wire.message.ListConfigResourcesResponse;

/**
 * ListConfigResources, v0 to v1: the names of what has settings: topics, brokers, and groups that
 * set something. Client metrics have none, so none are listed. v0 is for client metrics alone; in
 * v1 no kind asked for means all.
 */
final class ListConfigResources
    implements ApiHandler<ListConfigResourcesRequest, ListConfigResourcesResponse> {
  private static final byte BROKER_LOGGER = 8;

  private final ClusterView cluster;

  ListConfigResources(ClusterView cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(
      RequestContext context,
      ListConfigResourcesRequest request,
      Reply<ListConfigResourcesResponse> reply) {
    ListConfigResourcesResponse response = new ListConfigResourcesResponse();
    if (context.apiVersion() > 0) {
      ClusterState state = cluster.state();
      for (byte type : request.resourceTypes) {
        boolean known =
            type == DescribeConfigs.TOPIC
                || type == DescribeConfigs.BROKER
                || type == BROKER_LOGGER
                || type == DescribeConfigs.CLIENT_METRICS
                || type == DescribeConfigs.GROUP;
        if (!known) {
          response.errorCode = WireError.UNSUPPORTED_VERSION.code();
        }
      }
      boolean all = request.resourceTypes.isEmpty();
      if (response.errorCode == WireError.NONE.code()) {
        if (all || request.resourceTypes.contains(DescribeConfigs.GROUP)) {
          state.groupConfigs().keySet().forEach(name -> add(response, DescribeConfigs.GROUP, name));
        }
        if (all || request.resourceTypes.contains(DescribeConfigs.TOPIC)) {
          state.topics().keySet().forEach(name -> add(response, DescribeConfigs.TOPIC, name));
        }
        if (all || request.resourceTypes.contains(DescribeConfigs.BROKER)) {
          state.brokers().keySet().forEach(id -> add(response, DescribeConfigs.BROKER, "" + id));
        }
        if (all || request.resourceTypes.contains(BROKER_LOGGER)) {
          state.brokers().keySet().forEach(id -> add(response, BROKER_LOGGER, "" + id));
        }
      }
    }
    reply.send(response);
  }

  private static void add(ListConfigResourcesResponse response, byte type, String name) {
    ListConfigResourcesResponse.ConfigResource resource =
        new ListConfigResourcesResponse.ConfigResource();
    resource.resourceType = type;
    resource.resourceName = name;
    response.configResources.add(resource);
  }
}
