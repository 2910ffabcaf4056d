package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.ConfigChange;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.TopicResult;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.IncrementalAlterConfigsRequest;
import io.fencepost.broker.wire.message.IncrementalAlterConfigsResponse;
import java.util.ArrayList;
import java.util.List;

/**
 * IncrementalAlterConfigs, v0 to v1: sets, removes, appends to and subtracts from the settings of
 * topics, brokers (the empty name: of all brokers) and groups; in force when the answer goes out. A
 * broker follows changes of those settings only that topics and groups take their defaults from;
 * others are refused (INVALID_REQUEST), as are other kinds of resources.
 */
final class IncrementalAlterConfigs
    implements ApiHandler<IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse> {
  static final String NO_SETTINGS =
      "Only topics (2), brokers (4) and groups (32) have settings here";

  private final BrokerMetadata cluster;
  private final Controller controller;

  IncrementalAlterConfigs(BrokerMetadata cluster, Controller controller) {
    this.cluster = cluster;
    this.controller = controller;
  }

  @Override
  public void handle(
      RequestContext context,
      IncrementalAlterConfigsRequest request,
      Reply<IncrementalAlterConfigsResponse> reply) {
    IncrementalAlterConfigsResponse response = new IncrementalAlterConfigsResponse();
    for (IncrementalAlterConfigsRequest.AlterConfigsResource resource : request.resources) {
      TopicResult result = alter(resource, request.validateOnly);
      IncrementalAlterConfigsResponse.AlterConfigsResourceResponse answer =
          new IncrementalAlterConfigsResponse.AlterConfigsResourceResponse();
      answer.resourceType = resource.resourceType;
      answer.resourceName = resource.resourceName;
      answer.errorCode = result.error().code();
      answer.errorMessage = result.message();
      response.responses.add(answer);
    }
    reply.send(response);
  }

  private TopicResult alter(
      IncrementalAlterConfigsRequest.AlterConfigsResource resource, boolean validateOnly) {
    String name = resource.resourceName;
    TopicResult refusal = cluster.refusal(name);
    if (refusal != null) {
      return refusal;
    }
    List<ConfigChange> changes = new ArrayList<>();
    ConfigChange.Operation[] operations = ConfigChange.Operation.values();
    for (IncrementalAlterConfigsRequest.AlterableConfig config : resource.configs) {
      if (config.configOperation < 0 || config.configOperation >= operations.length) {
        return new TopicResult(
            name,
            WireError.INVALID_REQUEST,
            "The operation " + config.configOperation + " on " + config.name + " is unknown",
            null);
      }
      changes.add(new ConfigChange(config.name, operations[config.configOperation], config.value));
    }
    return switch (resource.resourceType) {
      case DescribeConfigs.BROKER ->
          validateOnly
              ? controller.validateBroker(name, changes)
              : controller.alterBroker(name, changes);
      case DescribeConfigs.GROUP ->
          validateOnly
              ? controller.validateGroup(name, changes)
              : controller.alterGroup(name, changes);
      case DescribeConfigs.TOPIC ->
          validateOnly
              ? controller.validateConfigs(name, changes)
              : controller.alterConfigs(name, changes);
      default -> new TopicResult(name, WireError.INVALID_REQUEST, NO_SETTINGS, null);
    };
  }
}
