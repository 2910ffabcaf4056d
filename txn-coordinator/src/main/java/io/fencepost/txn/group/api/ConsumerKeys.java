package io.fencepost.txn.group.api;

import io.fencepost.broker.cluster.Controller;
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

  static ConsumerSettings of(Controller controller) {
    BrokerConfig config = controller.settings().inForce();
    return new ConsumerSettings(
        config.intOf("group.consumer.max.size"),
        ConfigKey.elements(config.text("group.consumer.assignors")),
        MigrationPolicy.valueOf(
            config.text("group.consumer.migration.policy").toUpperCase(Locale.ROOT)),
        groupId -> times(groupId, controller));
  }

  private static GroupTimes times(String groupId, Controller controller) {
    return new GroupTimes(
        GroupConfigs.intOf("consumer.session.timeout.ms", groupId, controller),
        GroupConfigs.intOf("consumer.heartbeat.interval.ms", groupId, controller),
        GroupConfigs.intOf("consumer.assignment.interval.ms", groupId, controller));
  }
}
