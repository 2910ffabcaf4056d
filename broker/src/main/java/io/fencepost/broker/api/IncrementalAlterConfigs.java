package io.fencepost.broker.api;

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
 * topics; in force when the answer goes out. Settings of brokers cannot be changed while they run
 * (INVALID_REQUEST).
 */
final class IncrementalAlterConfigs
    implements ApiHandler<IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse> {
  static final String ONLY_TOPICS =
      "Only settings of topics can be changed; set those of a broker when it starts";

  private final Controller controller;

  IncrementalAlterConfigs(Controller controller) {
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
    if (resource.resourceType != DescribeConfigs.TOPIC) {
      return new TopicResult(name, WireError.INVALID_REQUEST, ONLY_TOPICS, null);
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
    return validateOnly
        ? controller.validateConfigs(name, changes)
        : controller.alterConfigs(name, changes);
  }
}
