package io.fencepost.testkit.junit;

import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** Settings as an annotation can hold them. */
final class Pairs {
  private Pairs() {}

  /** Reads {@code name=value}; a value may hold more of the sign. */
  static SortedMap<String, String> parse(String where, String... pairs) {
    TreeMap<String, String> settings = new TreeMap<>();
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new ExtensionConfigurationException(
            where + ": '" + pair + "' is not written name=value");
      }
      settings.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
    }
    return settings;
  }
}
