package io.fencepost.broker.config;

import io.fencepost.broker.port.Invariant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The settings that exist for one kind of thing, by name. Immutable. */
public final class ConfigTable {
  private final TreeMap<String, ConfigKey> keys = new TreeMap<>();

  private ConfigTable() {}

  /**
   * Reads lines of {@code name | type | default | rule | what it does}. A default {@code -} is
   * none, {@code empty} the empty text, {@code max} the largest long. A rule is {@code >= number},
   * {@code low..high}, a list of choices, or {@code -}. Lines that begin with # are headings.
   */
  public static ConfigTable parse(String lines) {
    ConfigTable table = new ConfigTable();
    lines
        .lines()
        .filter(line -> !line.startsWith("#") && !line.isBlank())
        .forEach(line -> table.add(line.split(" \\| ", 5)));
    return table;
  }

  private void add(String[] columns) {
    Invariant.check(columns.length == 5, "a setting needs five columns: %s", columns[0]);
    String name = columns[0].trim();
    ConfigType type = ConfigType.valueOf(columns[1].trim().toUpperCase(Locale.ROOT));
    String text = columns[2].trim();
    String defaultValue =
        switch (text) {
          case "-" -> null;
          case "empty" -> "";
          case "max" -> String.valueOf(Long.MAX_VALUE);
          default -> text;
        };
    keys.put(name, new ConfigKey(name, type, defaultValue, rule(columns[3].trim()), columns[4]));
  }

  private static ConfigKey.Rule rule(String text) {
    if (text.equals("-")) {
      return value -> null;
    }
    if (text.startsWith(">= ")) {
      long min = Long.parseLong(text.substring(3));
      return value -> Long.parseLong(value) >= min ? null : "must be at least " + min;
    }
    int dots = text.indexOf("..");
    if (dots >= 0) {
      double low = Double.parseDouble(text.substring(0, dots));
      double high = Double.parseDouble(text.substring(dots + 2));
      return value -> {
        double number = Double.parseDouble(value);
        return number >= low && number <= high ? null : "must be within " + text;
      };
    }
    List<String> choices = ConfigKey.elements(text);
    return value ->
        choices.containsAll(ConfigKey.elements(value))
            ? null
            : "must be among " + String.join(", ", choices);
  }

  public @Nullable ConfigKey find(String name) {
    return keys.get(name);
  }

  public Collection<ConfigKey> all() {
    return Collections.unmodifiableCollection(keys.values());
  }

  public Collection<String> names() {
    return Collections.unmodifiableSet(keys.keySet());
  }

  /**
   * Why these settings are refused, or null if all are fine.
   *
   * @param kind how an error message calls such a setting, for example "topic config"
   */
  public @Nullable String problem(String kind, Map<String, String> settings) {
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      ConfigKey key = keys.get(setting.getKey());
      String problem =
          key == null ? unknown(kind, setting.getKey()) : key.problem(setting.getValue());
      if (problem != null) {
        return problem;
      }
    }
    return null;
  }

  /** The sentence for a name that does not exist here. */
  public String unknown(String kind, String name) {
    return "Unknown " + kind + " name: " + name + NearestKey.hint(name, keys.keySet());
  }
}
