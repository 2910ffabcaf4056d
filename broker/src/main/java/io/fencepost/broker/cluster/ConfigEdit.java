package io.fencepost.broker.cluster;

import io.fencepost.broker.config.ConfigKey;
import io.fencepost.broker.config.ConfigTable;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The settings to come of a topic, a broker or a group, or why there are none. */
record ConfigEdit(WireError error, @Nullable String message, SortedMap<String, String> configs) {
  static ConfigEdit of(SortedMap<String, String> configs) {
    return new ConfigEdit(WireError.NONE, null, configs);
  }

  static ConfigEdit refused(WireError error, String message) {
    return new ConfigEdit(error, message, new TreeMap<>());
  }

  /** What may be set, and how a wrong setting is refused. */
  record Kind(ConfigTable table, String name, WireError invalid) {
    ConfigEdit refuse(String problem) {
      return refused(invalid, problem);
    }
  }

  /**
   * Makes the changes one after the other; whether the result is fine is not looked at.
   *
   * @param inherited what is in force where the settings say nothing
   */
  static ConfigEdit change(
      SortedMap<String, String> present,
      List<ConfigChange> changes,
      Kind kind,
      Function<ConfigKey, @Nullable String> inherited) {
    TreeMap<String, String> next = new TreeMap<>(present);
    TreeSet<String> seen = new TreeSet<>();
    for (ConfigChange change : changes) {
      String name = change.name();
      if (!seen.add(name)) {
        return refused(
            WireError.INVALID_REQUEST, "The setting " + name + " occurs twice in one request");
      }
      if (change.operation() == ConfigChange.Operation.DELETE) {
        next.remove(name);
        continue;
      }
      String value = change.value();
      if (value == null) {
        return refused(WireError.INVALID_REQUEST, "The setting " + name + " has no value (null)");
      }
      ConfigKey key = kind.table().find(name);
      String problem =
          key == null
              ? kind.table().unknown(kind.name(), name)
              : ConfigRules.apply(change.operation(), value, key, next, inherited.apply(key));
      if (problem != null) {
        return kind.refuse(problem);
      }
    }
    return of(next);
  }
}
