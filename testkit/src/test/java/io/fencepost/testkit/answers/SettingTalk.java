package io.fencepost.testkit.answers;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.message.AlterConfigsRequest;
import io.fencepost.broker.wire.message.AlterConfigsResponse;
import io.fencepost.broker.wire.message.DescribeConfigsRequest;
import io.fencepost.broker.wire.message.DescribeConfigsResponse;
import io.fencepost.broker.wire.message.IncrementalAlterConfigsRequest;
import io.fencepost.broker.wire.message.IncrementalAlterConfigsRequest.AlterableConfig;
import io.fencepost.broker.wire.message.IncrementalAlterConfigsResponse;
import io.fencepost.broker.wire.message.ListConfigResourcesRequest;
import io.fencepost.broker.wire.message.ListConfigResourcesResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What administrators of settings say, over a {@link Talk}. */
final class SettingTalk {
  static final int TOPIC = 2;
  static final int BROKER = 4;
  static final int GROUP = 32;
  static final int SET = 0;
  static final int DELETE = 1;
  static final int APPEND = 2;
  static final int SUBTRACT = 3;

  private final Talk talk;

  SettingTalk(Talk talk) {
    this.talk = talk;
  }

  String alter(int type, String name, int operation, String key, @Nullable String value) {
    return alter(type, name, List.of(change(operation, key, value)));
  }

  static AlterableConfig change(int operation, String key, @Nullable String value) {
    AlterableConfig config = new AlterableConfig();
    config.name = key;
    config.configOperation = (byte) operation;
    config.value = value;
    return config;
  }

  String alter(int type, String name, List<AlterableConfig> configs) {
    IncrementalAlterConfigsRequest.AlterConfigsResource resource =
        new IncrementalAlterConfigsRequest.AlterConfigsResource();
    resource.resourceType = (byte) type;
    resource.resourceName = name;
    resource.configs.addAll(configs);
    IncrementalAlterConfigsRequest request = new IncrementalAlterConfigsRequest();
    request.resources.add(resource);
    return Talk.name(
        talk.ask(
                ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, request, IncrementalAlterConfigsResponse.class)
            .responses
            .get(0)
            .errorCode);
  }

  /** The older API: these settings and no others. */
  String replace(int type, String name, String key, String value) {
    AlterConfigsRequest.AlterableConfig config = new AlterConfigsRequest.AlterableConfig();
    config.name = key;
    config.value = value;
    AlterConfigsRequest.AlterConfigsResource resource =
        new AlterConfigsRequest.AlterConfigsResource();
    resource.resourceType = (byte) type;
    resource.resourceName = name;
    resource.configs.add(config);
    AlterConfigsRequest request = new AlterConfigsRequest();
    request.resources.add(resource);
    return Talk.name(
        talk.ask(ApiKey.ALTER_CONFIGS, 2, request, AlterConfigsResponse.class)
            .responses
            .get(0)
            .errorCode);
  }

  /** The error of a description. */
  String describe(int type, String name) {
    return Talk.name(described(type, name).errorCode);
  }

  private DescribeConfigsResponse.DescribeConfigsResult described(int type, String name) {
    DescribeConfigsRequest.DescribeConfigsResource resource =
        new DescribeConfigsRequest.DescribeConfigsResource();
    resource.resourceType = (byte) type;
    resource.resourceName = name;
    resource.configurationKeys = null;
    DescribeConfigsRequest request = new DescribeConfigsRequest();
    request.includeSynonyms = true;
    request.resources.add(resource);
    return talk.ask(ApiKey.DESCRIBE_CONFIGS, 4, request, DescribeConfigsResponse.class)
        .results
        .get(0);
  }

  /** Names, sorted, that begin with the prefix; each with its value, source and synonyms. */
  List<String> values(int type, String name, String prefix) {
    List<String> lines = new ArrayList<>();
    for (var config : described(type, name).configs) {
      if (config.name.startsWith(prefix)) {
        List<String> synonyms = new ArrayList<>();
        config.synonyms.forEach(s -> synonyms.add(s.name + "=" + s.value + " from " + s.source));
        lines.add(
            config.name
                + "="
                + config.value
                + " from "
                + config.configSource
                + " type "
                + config.configType
                + " "
                + synonyms);
      }
    }
    lines.sort(null);
    return lines;
  }

  boolean lists(int type, String name) {
    ListConfigResourcesRequest request = new ListConfigResourcesRequest();
    request.resourceTypes = new ArrayList<>(List.of((byte) type));
    return talk
        .ask(ApiKey.LIST_CONFIG_RESOURCES, 1, request, ListConfigResourcesResponse.class)
        .configResources
        .stream()
        .anyMatch(resource -> resource.resourceName.equals(name));
  }
}
