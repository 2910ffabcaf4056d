package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.BrokerSettings;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DescribeConfigsRequest;
import io.fencepost.broker.wire.message.DescribeConfigsResponse;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * DescribeConfigs, v1 to v4: the settings in force of topics and of this broker, with where they
 * come from, and (broker with the empty name) those that were changed for all brokers; those of any
 * group, whether it exists or not. Synonyms if asked for; v3 adds types and, if asked for, what a
 * setting does. Client metrics have no settings; other kinds of resources are refused
 * (INVALID_REQUEST).
 */
final class DescribeConfigs implements ApiHandler<DescribeConfigsRequest, DescribeConfigsResponse> {
  static final byte TOPIC = 2;
  static final byte BROKER = 4;
  static final byte CLIENT_METRICS = 16;
  static final byte GROUP = 32;

  private final BrokerMetadata cluster;

  DescribeConfigs(BrokerMetadata cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(
      RequestContext context,
      DescribeConfigsRequest request,
      Reply<DescribeConfigsResponse> reply) {
    DescribeConfigsResponse response = new DescribeConfigsResponse();
    for (DescribeConfigsRequest.DescribeConfigsResource resource : request.resources) {
      DescribeConfigsResponse.DescribeConfigsResult result = describe(resource, request);
      reply.claim((long) result.configs.size() * Reply.STRUCT_BYTES);
      response.results.add(result);
    }
    reply.send(response);
  }

  private DescribeConfigsResponse.DescribeConfigsResult describe(
      DescribeConfigsRequest.DescribeConfigsResource resource, DescribeConfigsRequest request) {
    DescribeConfigsResponse.DescribeConfigsResult result =
        new DescribeConfigsResponse.DescribeConfigsResult();
    result.resourceType = resource.resourceType;
    result.resourceName = resource.resourceName;
    result.errorMessage = null;
    String name = resource.resourceName;
    String problem = null;
    WireError error = WireError.INVALID_REQUEST;
    List<ConfigEntry> entries = List.of();
    switch (resource.resourceType) {
      case TOPIC -> {
        TopicState topic = cluster.state().topic(name);
        problem = TopicNames.problem(name);
        error = WireError.INVALID_TOPIC_EXCEPTION;
        if (topic != null) {
          entries = ConfigEntry.ofTopic(topic, cluster.settings());
        } else if (problem == null) {
          error = WireError.UNKNOWN_TOPIC_OR_PARTITION;
          problem = "There is no topic '" + name + "'";
        }
      }
      case BROKER -> {
        BrokerSettings settings = cluster.settings();
        int brokerId = settings.atStart().brokerId();
        if (name.isEmpty()) {
          entries = ConfigEntry.ofAllBrokers(settings);
        } else if (name.equals(String.valueOf(brokerId))) {
          entries = ConfigEntry.ofBroker(settings);
        } else {
          problem = "This is broker " + brokerId + ", not " + name;
        }
      }
      case GROUP -> {
        problem = name.isEmpty() ? "The name of the group is empty" : null;
        SortedMap<String, String> own =
            cluster.state().groupConfigs().getOrDefault(name, new TreeMap<>());
        entries = ConfigEntry.ofGroup(own, cluster.settings());
      }
      case CLIENT_METRICS -> problem = name.isEmpty() ? "The name of the resource is empty" : null;
      default ->
          problem =
              "Only topics (2), brokers (4) and groups (32) have settings here, not "
                  + resource.resourceType;
    }
    if (problem != null) {
      return refused(result, error, problem);
    }
    fill(result, entries, resource.configurationKeys, request);
    return result;
  }

  private static DescribeConfigsResponse.DescribeConfigsResult refused(
      DescribeConfigsResponse.DescribeConfigsResult result, WireError error, String message) {
    result.errorCode = error.code();
    result.errorMessage = message;
    return result;
  }

  private static void fill(
      DescribeConfigsResponse.DescribeConfigsResult result,
      List<ConfigEntry> entries,
      @Nullable List<String> wanted,
      DescribeConfigsRequest request) {
    for (ConfigEntry entry : entries) {
      if (wanted != null && !wanted.isEmpty() && !wanted.contains(entry.key().name())) {
        continue;
      }
      DescribeConfigsResponse.DescribeConfigsResourceResult shown =
          new DescribeConfigsResponse.DescribeConfigsResourceResult();
      shown.name = entry.key().name();
      shown.value = entry.value();
      shown.configSource = entry.source();
      shown.readOnly = entry.isReadOnly();
      shown.configType = entry.key().type().code();
      shown.documentation = request.includeDocumentation ? entry.key().doc() : null;
      if (request.includeSynonyms) {
        for (ConfigEntry.Synonym synonym : entry.synonyms()) {
          DescribeConfigsResponse.DescribeConfigsSynonym other =
              new DescribeConfigsResponse.DescribeConfigsSynonym();
          other.name = synonym.name();
          other.value = synonym.value();
          other.source = synonym.source();
          shown.synonyms.add(other);
        }
      }
      result.configs.add(shown);
    }
  }
}
