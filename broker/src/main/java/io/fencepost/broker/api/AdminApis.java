package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.wire.ApiKey;

/** Registers the APIs that read and change the cluster's metadata. */
public final class AdminApis {
  private AdminApis() {}

  /**
   * @param cluster what this broker knows, and whether it reaches the controller
   */
  public static void serve(
      ApiRouter.Builder routes,
      BrokerMetadata cluster,
      Controller controller,
      BrokerConfig config) {
    routes
        .serve(ApiKey.METADATA, new Metadata(cluster, controller, config))
        .serve(ApiKey.DESCRIBE_TOPIC_PARTITIONS, new DescribeTopicPartitions(cluster))
        .serve(ApiKey.DESCRIBE_CLUSTER, new DescribeCluster(cluster))
        .serve(ApiKey.CREATE_TOPICS, new CreateTopics(cluster, controller))
        .serve(ApiKey.DELETE_TOPICS, new DeleteTopics(cluster, controller, config))
        .serve(ApiKey.CREATE_PARTITIONS, new CreatePartitions(cluster, controller))
        .serve(ApiKey.DESCRIBE_CONFIGS, new DescribeConfigs(cluster))
        .serve(ApiKey.ALTER_CONFIGS, new AlterConfigs(cluster, controller))
        .serve(ApiKey.INCREMENTAL_ALTER_CONFIGS, new IncrementalAlterConfigs(cluster, controller))
        .serve(ApiKey.LIST_CONFIG_RESOURCES, new ListConfigResources(cluster))
        .serve(ApiKey.ELECT_LEADERS, new ElectLeaders(cluster, controller))
        .serve(ApiKey.ALTER_PARTITION_REASSIGNMENTS, new AlterPartitionReassignments(cluster))
        .serve(ApiKey.LIST_PARTITION_REASSIGNMENTS, new ListPartitionReassignments())
        .serve(ApiKey.DESCRIBE_CLIENT_QUOTAS, new DescribeClientQuotas())
        .serve(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, new DescribeUserScramCredentials());
    Acls.serve(routes);
  }
}
