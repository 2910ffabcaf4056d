package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.TopicResult;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.AlterConfigsRequest;
import io.fencepost.broker.wire.message.AlterConfigsResponse;
import java.util.TreeMap;

/**
 * AlterConfigs, v0 to v2: replaces all settings of a topic or a group, or those of a broker that
 * were changed while it ran, by those given; one that is not given falls back to its default. Kept
 * for old tools; new ones use IncrementalAlterConfigs.
 */
final class AlterConfigs implements ApiHandler<AlterConfigsRequest, AlterConfigsResponse> {
  private final BrokerMetadata cluster;
  private final Controller controller;

  AlterConfigs(BrokerMetadata cluster, Controller controller) {
    this.cluster = cluster;
    this.controller = controller;
  }

  @Override
  public void handle(
      RequestContext context, AlterConfigsRequest request, Reply<AlterConfigsResponse> reply) {
    AlterConfigsResponse response = new AlterConfigsResponse();
    for (AlterConfigsRequest.AlterConfigsResource resource : request.resources) {
      TopicResult result = alter(resource, request.validateOnly);
      AlterConfigsResponse.AlterConfigsResourceResponse answer =
          new AlterConfigsResponse.AlterConfigsResourceResponse();
      answer.resourceType = resource.resourceType;
      answer.resourceName = resource.resourceName;
      answer.errorCode = result.error().code();
      answer.errorMessage = result.message();
      response.responses.add(answer);
    }
    reply.send(response);
  }

  private TopicResult alter(
      AlterConfigsRequest.AlterConfigsResource resource, boolean validateOnly) {
    String name = resource.resourceName;
    TopicResult refusal = cluster.refusal(name);
    if (refusal != null) {
      return refusal;
    }
    TreeMap<String, String> configs = new TreeMap<>();
    for (AlterConfigsRequest.AlterableConfig config : resource.configs) {
      String value = config.value;
      if (value == null) {
        return new TopicResult(
            name,
            WireError.INVALID_CONFIG,
            "The setting " + config.name + " has no value (null)",
            null);
      }
      configs.put(config.name, value);
    }
    return switch (resource.resourceType) {
      case DescribeConfigs.BROKER ->
          validateOnly
              ? controller.validateBrokerReplacement(name, configs)
              : controller.replaceBroker(name, configs);
      case DescribeConfigs.GROUP ->
          validateOnly
              ? controller.validateGroupReplacement(name, configs)
              : controller.replaceGroup(name, configs);
      case DescribeConfigs.TOPIC ->
          validateOnly
              ? controller.validateReplacement(name, configs)
              : controller.replaceConfigs(name, configs);
      default ->
          new TopicResult(
              name, WireError.INVALID_REQUEST, IncrementalAlterConfigs.NO_SETTINGS, null);
    };
  }
}
