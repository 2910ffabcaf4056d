package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/** Changes of the settings of brokers and groups. Called under the controller's lock. */
final class SettingCommands {
  private final Commits commits;
  private final Views views;

  SettingCommands(Commits commits, Views views) {
    this.commits = commits;
    this.views = views;
  }

  ConfigEdit broker(String broker, List<ConfigChange> changes) {
    BrokerSettings present = views.settingsOf(broker, commits.settings());
    return SettingRules.broker(
        commits.state(), broker, own -> BrokerConfigRules.change(own, changes, present));
  }

  ConfigEdit broker(String broker, SortedMap<String, String> configs) {
    return SettingRules.broker(commits.state(), broker, own -> BrokerConfigRules.replaced(configs));
  }

  TopicResult adoptBroker(String broker, ConfigEdit edit) {
    ClusterState next = commits.state().withBrokerConfigs(broker, edit.configs());
    return adopt(broker, edit, next, JournalLine.ofBroker(broker, edit.configs()));
  }

  ConfigEdit group(String group, List<ConfigChange> changes) {
    return SettingRules.group(commits.state(), group, changes, inForce());
  }

  ConfigEdit group(String group, SortedMap<String, String> configs) {
    return SettingRules.group(group, configs, inForce());
  }

  TopicResult adoptGroup(String group, ConfigEdit edit) {
    ClusterState next = commits.state().withGroupConfigs(group, edit.configs());
    return adopt(group, edit, next, JournalLine.ofGroup(group, edit.configs()));
  }

  private BrokerConfig inForce() {
    return commits.settings().inForce();
  }

  /** What becomes of an edit that is only looked at. */
  static TopicResult answer(String name, ConfigEdit edit) {
    return new TopicResult(name, edit.error(), edit.message(), null);
  }

  private TopicResult adopt(String name, ConfigEdit edit, ClusterState next, String line) {
    if (edit.error() != WireError.NONE) {
      return answer(name, edit);
    }
    // Settings of all brokers may allow an election.
    List<TopicState> elected = commits.reviewed(next);
    List<String> lines = new ArrayList<>(List.of(line));
    lines.addAll(commits.lines(elected));
    try {
      commits.write(next.withTopics(elected), lines);
    } catch (DiskException broken) {
      return TopicResult.refused(
          name,
          WireError.KAFKA_STORAGE_ERROR,
          "The disk refused the change of settings: " + broken.getMessage());
    }
    return answer(name, edit);
  }
}
