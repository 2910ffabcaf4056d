package io.fencepost.testkit.campaign.client;

import io.fencepost.broker.wire.TopicPartition;
import java.util.Map;
import java.util.Objects;

/** Partitions as histories call them. */
final class Names {
  private Names() {}

  static TopicPartition of(org.apache.kafka.common.TopicPartition partition) {
    return new TopicPartition(partition.topic(), partition.partition());
  }

  /** What a client answered about a partition that it was asked about. */
  static <T> T answer(
      Map<org.apache.kafka.common.TopicPartition, T> answers,
      org.apache.kafka.common.TopicPartition partition) {
    return Objects.requireNonNull(answers.get(partition), partition::toString);
  }

  static TopicPartition of(String topic, int partition) {
    return new TopicPartition(topic, partition);
  }
}
