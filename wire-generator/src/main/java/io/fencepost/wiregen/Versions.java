package io.fencepost.wiregen;

/** A closed range of message versions; empty when the highest is below the lowest. */
record Versions(int lowest, int highest) {
  static final Versions NONE = new Versions(0, -1);
  private static final int OPEN = Short.MAX_VALUE;

  /** Understands {@code none}, {@code 3}, {@code 3-7} and {@code 3+}. */
  static Versions parse(String text) {
    String trimmed = text.trim();
    if (trimmed.isEmpty() || trimmed.equals("none")) {
      return NONE;
    }
    if (trimmed.endsWith("+")) {
      return new Versions(Integer.parseInt(trimmed.substring(0, trimmed.length() - 1)), OPEN);
    }
    int dash = trimmed.indexOf('-');
    if (dash < 0) {
      int only = Integer.parseInt(trimmed);
      return new Versions(only, only);
    }
    return new Versions(
        Integer.parseInt(trimmed.substring(0, dash)),
        Integer.parseInt(trimmed.substring(dash + 1)));
  }

  boolean isEmpty() {
    return highest < lowest;
  }

  boolean covers(Versions other) {
    return other.isEmpty() || (lowest <= other.lowest && highest >= other.highest);
  }

  Versions intersect(Versions other) {
    Versions both = new Versions(Math.max(lowest, other.lowest), Math.min(highest, other.highest));
    return both.isEmpty() ? NONE : both;
  }

  /** What of this range lies below the other one. */
  Versions below(Versions other) {
    if (other.isEmpty()) {
      return this;
    }
    Versions rest = new Versions(lowest, Math.min(highest, other.lowest - 1));
    return rest.isEmpty() ? NONE : rest;
  }

  /**
   * The Java condition under which {@code version}, known to be in {@code possible}, is in this
   * range: {@code true} and {@code false} where no question is left.
   */
  String condition(Versions possible) {
    Versions here = intersect(possible);
    if (here.isEmpty()) {
      return "false";
    }
    if (covers(possible)) {
      return "true";
    }
    if (here.lowest == here.highest) {
      return "version == " + here.lowest;
    }
    if (here.highest >= possible.highest) {
      return "version >= " + here.lowest;
    }
    if (here.lowest <= possible.lowest) {
      return "version <= " + here.highest;
    }
    return "version >= " + here.lowest + " && version <= " + here.highest;
  }
}
