package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.BrokerKeys;
import io.fencepost.broker.config.ConfigKey;
import io.fencepost.broker.config.ConfigTable;
import io.fencepost.broker.config.GroupBounds;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Every setting that a group may have of its own, and the rules for them. What it does not set is
 * as the broker has it. Those of share and streams groups are kept and shown as in Kafka; there are
 * no such groups here.
 */
public final class GroupConfigs {
  private static final String KEPT = "Kept for share and streams groups, which are not served.";

  /** All of them, by name. Kept ones have the bounds that Kafka's broker has by default. */
  public static final ConfigTable TABLE =
      ConfigTable.parse(
          """
          consumer.assignment.interval.ms | int | - | >= 0 | Least time between two assignments of this group of the newer protocol.
          consumer.heartbeat.interval.ms | int | - | >= 1 | Heartbeat interval of the members of this group of the newer protocol.
          consumer.session.timeout.ms | int | - | >= 1 | Session timeout of the members of this group of the newer protocol.
          errors.deadletterqueue.copy.record.enable | boolean | false | - | KEPT
          errors.deadletterqueue.topic.name | string | empty | - | KEPT
          share.assignment.interval.ms | int | 1000 | 0..15000 | KEPT
          share.auto.offset.reset | string | latest | - | KEPT
          share.delivery.count.limit | int | 5 | 2..10 | KEPT
          share.heartbeat.interval.ms | int | 5000 | 5000..15000 | KEPT
          share.isolation.level | string | read_uncommitted | read_uncommitted,read_committed | KEPT
          share.partition.max.record.locks | int | 2000 | 100..4000 | KEPT
          share.record.lock.duration.ms | int | 30000 | 15000..60000 | KEPT
          share.renew.acknowledge.enable | boolean | true | - | KEPT
          share.session.timeout.ms | int | 45000 | 45000..60000 | KEPT
          streams.assignment.interval.ms | int | 1000 | 0..15000 | KEPT
          streams.assignor.name | string | sticky | sticky | KEPT
          streams.heartbeat.interval.ms | int | 5000 | 5000..15000 | KEPT
          streams.initial.rebalance.delay.ms | int | 3000 | >= 0 | KEPT
          streams.num.standby.replicas | int | 0 | 0..2 | KEPT
          streams.rack.aware.assignment.tags | list | empty | - | KEPT
          streams.session.timeout.ms | int | 45000 | 45000..60000 | KEPT
          """
              .replace("KEPT", KEPT));

  private static final SortedMap<String, String> NONE =
      Collections.unmodifiableSortedMap(new TreeMap<>());
  private static final String DEAD_LETTERS = "errors.deadletterqueue.topic.name";
  private static final String BY_DURATION = "by_duration:";

  private GroupConfigs() {}

  /** The name under which a broker sets the same for all its groups; null if it cannot. */
  public static @Nullable String synonymOf(String name) {
    return switch (name) {
      case "streams.assignor.name" -> "group.streams.assignors";
      case "errors.deadletterqueue.copy.record.enable",
          "errors.deadletterqueue.topic.name",
          "share.auto.offset.reset",
          "share.isolation.level",
          "share.renew.acknowledge.enable" ->
          null;
      default -> "group." + name;
    };
  }

  /** What is in force for a group that does not set it. */
  public static @Nullable String inherited(ConfigKey key, BrokerConfig broker) {
    String synonym = synonymOf(key.name());
    return synonym != null && BrokerKeys.TABLE.find(synonym) != null
        ? broker.find(synonym)
        : key.defaultValue();
  }

  /** What is in force for the group, of a setting that is a whole number. */
  public static int intOf(String name, String group, BrokerMetadata broker) {
    return intOf(
        name, broker.state().groupConfigs().getOrDefault(group, NONE), broker.settings().inForce());
  }

  private static int intOf(String name, SortedMap<String, String> own, BrokerConfig broker) {
    String value = own.get(name);
    return value != null ? Integer.parseInt(value.trim()) : broker.intOf("group." + name);
  }

  /** Why these settings are refused, or null. */
  static @Nullable String problem(SortedMap<String, String> configs, BrokerConfig broker) {
    String problem = TABLE.problem("group config", configs);
    for (String name : GroupBounds.BOUNDED) {
      problem = problem != null ? problem : outOfBounds(name, configs, broker);
    }
    problem = problem != null ? problem : heartbeatProblem(configs, broker);
    String reset = configs.get("share.auto.offset.reset");
    if (problem == null && reset != null && !isReset(reset.trim())) {
      problem =
          "Invalid value "
              + reset
              + " for configuration share.auto.offset.reset: it must be earliest, latest or"
              + " by_duration: followed by a duration such as PT1H";
    }
    if (problem == null && configs.getOrDefault(DEAD_LETTERS, "").startsWith("__")) {
      problem = DEAD_LETTERS + ": the name must not begin with '__'";
    }
    return problem;
  }

  private static @Nullable String outOfBounds(
      String name, SortedMap<String, String> configs, BrokerConfig broker) {
    String value = configs.get("consumer." + name);
    if (value == null) {
      return null;
    }
    return GroupBounds.problem("consumer." + name, Integer.parseInt(value.trim()), name, broker);
  }

  private static @Nullable String heartbeatProblem(
      SortedMap<String, String> configs, BrokerConfig broker) {
    String heartbeat = "consumer.heartbeat.interval.ms";
    String session = "consumer.session.timeout.ms";
    boolean concerns = configs.containsKey(heartbeat) || configs.containsKey(session);
    int heartbeatMs = intOf(heartbeat, configs, broker);
    int sessionMs = intOf(session, configs, broker);
    return !concerns || heartbeatMs < sessionMs
        ? null
        : heartbeat + " of " + heartbeatMs + " must be less than " + session + " of " + sessionMs;
  }

  private static boolean isReset(String value) {
    if (!value.startsWith(BY_DURATION)) {
      return value.equals("earliest") || value.equals("latest");
    }
    try {
      return !Duration.parse(value.substring(BY_DURATION.length())).isNegative();
    } catch (DateTimeParseException notOne) {
      return false;
    }
  }
}
