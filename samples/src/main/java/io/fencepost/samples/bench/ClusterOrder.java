package io.fencepost.samples.bench;

import java.util.Locale;

/** What a {@link ClusterApp} is told, a line each: {@code kill ID} or {@code restart ID}. */
record ClusterOrder(Verb verb, int broker) {
  /** What can be done to a broker. */
  enum Verb {
    KILL,
    RESTART
  }

  /** The line that {@link #parse} reads. */
  String line() {
    return verb.name().toLowerCase(Locale.ROOT) + " " + broker;
  }

  /**
   * @throws IllegalArgumentException if the line is something else
   */
  static ClusterOrder parse(String line) {
    String[] words = line.split(" ", -1);
    if (words.length != 2) {
      throw new IllegalArgumentException("'" + line + "' is no order like 'kill 1'");
    }
    return new ClusterOrder(
        Verb.valueOf(words[0].toUpperCase(Locale.ROOT)), Integer.parseInt(words[1]));
  }
}
