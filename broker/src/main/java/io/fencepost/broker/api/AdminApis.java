package io.fencepost.broker.api;

import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.wire.ApiKey;

/** Registers the APIs that read and change the cluster's metadata. */
public final class AdminApis {
  private AdminApis() {}

  public static void serve(ApiRouter.Builder routes, Controller controller, BrokerConfig config) {
    routes
        .serve(ApiKey.METADATA, new Metadata(controller, config))
        .serve(ApiKey.DESCRIBE_TOPIC_PARTITIONS, new DescribeTopicPartitions(controller))
        .serve(ApiKey.DESCRIBE_CLUSTER, new DescribeCluster(controller))
        .serve(ApiKey.CREATE_TOPICS, new CreateTopics(controller))
        .serve(ApiKey.DELETE_TOPICS, new DeleteTopics(controller, config))
        .serve(ApiKey.CREATE_PARTITIONS, new CreatePartitions(controller))
        .serve(ApiKey.DESCRIBE_CONFIGS, new DescribeConfigs(controller))
        .serve(ApiKey.ALTER_CONFIGS, new AlterConfigs(controller))
        .serve(ApiKey.INCREMENTAL_ALTER_CONFIGS, new IncrementalAlterConfigs(controller))
        .serve(ApiKey.LIST_CONFIG_RESOURCES, new ListConfigResources(controller))
        .serve(ApiKey.ELECT_LEADERS, new ElectLeaders(controller))
        .serve(ApiKey.ALTER_PARTITION_REASSIGNMENTS, new AlterPartitionReassignments(controller))
        .serve(ApiKey.LIST_PARTITION_REASSIGNMENTS, new ListPartitionReassignments())
        .serve(ApiKey.DESCRIBE_CLIENT_QUOTAS, new DescribeClientQuotas())
        .serve(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, new DescribeUserScramCredentials());
    Acls.serve(routes);
  }
}
