package io.fencepost.broker.cluster;

/**
 * Something that clients ask the cluster for by level (KIP-584).
 *
 * @param lowest the lowest level that this program can work with; 0 is the same as without it
 * @param highest the highest, which holds until somebody asks for another one
 */
public record Feature(String name, int lowest, int highest) {
  /** A feature that cannot be changed. */
  public static Feature fixed(String name, int level) {
    return new Feature(name, level, level);
  }

  boolean supports(int level) {
    return lowest <= level && level <= highest;
  }
}
