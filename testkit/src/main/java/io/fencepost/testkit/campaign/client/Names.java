package io.fencepost.testkit.campaign.client;

import io.fencepost.broker.wire.TopicPartition;

/** Partitions as histories call them. */
final class Names {
  private Names() {}

  static TopicPartition of(org.apache.kafka.common.TopicPartition partition) {
    return new TopicPartition(partition.topic(), partition.partition());
  }

  static TopicPartition of(String topic, int partition) {
    return new TopicPartition(topic, partition);
  }
}
