package io.fencepost.broker.cluster;

import io.fencepost.broker.wire.WireError;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The settings to come of a broker or a group, or why there are none. */
record ConfigEdit(WireError error, @Nullable String message, SortedMap<String, String> configs) {
  static ConfigEdit of(SortedMap<String, String> configs) {
    return new ConfigEdit(WireError.NONE, null, configs);
  }

  static ConfigEdit refused(WireError error, String message) {
    return new ConfigEdit(error, message, new TreeMap<>());
  }
}
