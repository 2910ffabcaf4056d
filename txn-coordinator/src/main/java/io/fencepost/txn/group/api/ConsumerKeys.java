package io.fencepost.txn.group.api;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.GroupConfigs;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.ConfigKey;
import io.fencepost.txn.group.consumer.ConsumerSettings;
import io.fencepost.txn.group.consumer.ConsumerSettings.MigrationPolicy;
import io.fencepost.txn.group.consumer.GroupTimes;
import java.util.Locale;

/** The broker settings group.consumer.*, typed, with those of single groups in front of them. */
final class ConsumerKeys {
  private ConsumerKeys() {}

  static ConsumerSettings of(BrokerMetadata cluster) {
    BrokerConfig config = cluster.settings().inForce();
    return new ConsumerSettings(
        config.intOf("group.consumer.max.size"),
        ConfigKey.elements(config.text("group.consumer.assignors")),
        MigrationPolicy.valueOf(
            config.text("group.consumer.migration.policy").toUpperCase(Locale.ROOT)),
        groupId -> times(groupId, cluster));
  }

  private static GroupTimes times(String groupId, BrokerMetadata cluster) {
    return new GroupTimes(
        GroupConfigs.intOf("consumer.session.timeout.ms", groupId, cluster),
        GroupConfigs.intOf("consumer.heartbeat.interval.ms", groupId, cluster),
        GroupConfigs.intOf("consumer.assignment.interval.ms", groupId, cluster));
  }
}
