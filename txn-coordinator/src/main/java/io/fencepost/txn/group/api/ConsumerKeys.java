package io.fencepost.txn.group.api;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.txn.group.consumer.ConsumerSettings;
import io.fencepost.txn.group.consumer.ConsumerSettings.MigrationPolicy;
import java.util.List;
import java.util.Locale;

/** The broker settings group.consumer.*, typed. */
final class ConsumerKeys {
  private ConsumerKeys() {}

  static ConsumerSettings of(BrokerConfig config) {
    return new ConsumerSettings(
        config.intOf("group.consumer.session.timeout.ms"),
        config.intOf("group.consumer.heartbeat.interval.ms"),
        config.intOf("group.consumer.max.size"),
        List.of(config.text("group.consumer.assignors").trim().split("\\s*,\\s*")),
        config.intOf("group.consumer.assignment.interval.ms"),
        MigrationPolicy.valueOf(
            config.text("group.consumer.migration.policy").toUpperCase(Locale.ROOT)));
  }
}
