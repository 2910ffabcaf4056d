package io.fencepost.broker.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the settings {@code group.*} of a broker must keep among themselves. */
public final class GroupBounds {
  /** Settings {@code group.consumer.X} that lie between X with min. and with max. before it. */
  public static final List<String> BOUNDED =
      List.of("assignment.interval.ms", "heartbeat.interval.ms", "session.timeout.ms");

  private GroupBounds() {}

  /**
   * @throws ConfigException if one of them cannot be with another
   */
  public static void check(BrokerConfig broker) {
    for (String name : BOUNDED) {
      String key = "group.consumer." + name;
      String problem = problem(key, broker.intOf(key), name, broker);
      if (problem != null) {
        throw new ConfigException(problem);
      }
    }
    requireLess(
        broker, "group.consumer.heartbeat.interval.ms", "group.consumer.session.timeout.ms");
    if (broker.intOf("group.min.session.timeout.ms")
        > broker.intOf("group.max.session.timeout.ms")) {
      throw new ConfigException(
          "group.min.session.timeout.ms must not be greater than group.max.session.timeout.ms");
    }
  }

  /**
   * Why a value is refused, or null if it is within the bounds that the broker sets.
   *
   * @param key how the message calls it
   * @param name one of {@link #BOUNDED}
   */
  public static @Nullable String problem(String key, int value, String name, BrokerConfig broker) {
    int min = broker.intOf("group.consumer.min." + name);
    int max = broker.intOf("group.consumer.max." + name);
    return value >= min && value <= max
        ? null
        : key + " must be in the range " + min + " to " + max + " inclusive.";
  }

  private static void requireLess(BrokerConfig broker, String less, String more) {
    if (broker.intOf(less) >= broker.intOf(more)) {
      throw new ConfigException(less + " must be less than " + more);
    }
  }
}
