package io.fencepost.broker.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which names a topic may have, and which are the broker's own. */
public final class TopicNames {
  public static final String OFFSETS = "__consumer_offsets";
  public static final String TRANSACTIONS = "__transaction_state";

  private static final String CLUSTER_METADATA = "__cluster_metadata";
  private static final List<String> INTERNAL = List.of(OFFSETS, TRANSACTIONS);
  private static final int MAX_LENGTH = 249;

  private TopicNames() {}

  /** Whether the broker keeps its own state in the topic. */
  public static boolean isInternal(String name) {
    return INTERNAL.contains(name);
  }

  /** Whether no client may create it. */
  static boolean isReserved(String name) {
    return isInternal(name) || name.equals(CLUSTER_METADATA);
  }

  /** Why the name is refused, or null. */
  public static @Nullable String problem(String name) {
    if (name.isEmpty()) {
      return "Topic name is invalid: the empty string is not allowed";
    }
    if (name.equals(".") || name.equals("..")) {
      return "Topic name is invalid: '" + name + "' is not allowed";
    }
    if (name.length() > MAX_LENGTH) {
      return "Topic name is invalid: it has "
          + name.length()
          + " characters, "
          + MAX_LENGTH
          + " are allowed: "
          + name;
    }
    for (int i = 0; i < name.length(); i++) {
      if (!isLegal(name.charAt(i))) {
        return "Topic name is invalid: '"
            + name
            + "' has a character other than ASCII letters, digits, '.', '_' and '-'";
      }
    }
    return null;
  }

  /** Another topic that metrics and directories could not tell from this name, or null. */
  static @Nullable String collision(String name, Iterable<String> existing) {
    String flat = name.replace('.', '_');
    for (String other : existing) {
      if (!other.equals(name) && other.replace('.', '_').equals(flat)) {
        return other;
      }
    }
    return null;
  }

  private static boolean isLegal(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }
}
