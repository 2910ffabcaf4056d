package io.fencepost.streams;

import org.jspecify.annotations.Nullable;

/**
 * Where a partition of a store lives, by the group's last known assignment.
 *
 * @param instance id of the instance that works on it; null while that is unknown (the group
 *     rebalances)
 * @param address that instance's setting {@code application.server}; null if it has none
 * @param isHere whether it is the instance that was asked
 */
public record StoreOwner(
    String store,
    int partition,
    @Nullable String instance,
    @Nullable String address,
    boolean isHere) {
  @Override
  public String toString() {
    String where = "store " + store + " partition " + partition + " is ";
    if (instance == null) {
      return where + "unknown: rebalancing; ask again soon";
    }
    if (isHere) {
      return where + "on this instance";
    }
    return where
        + "on instance "
        + instance
        + (address == null
            ? ", which tells no address (setting application.server)"
            : " at " + address);
  }
}
