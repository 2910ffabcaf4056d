package io.fencepost.streams;

/** The asked partition of a store cannot be read on this instance now; {@link #owner} says more. */
public final class StoreNotHereException extends RuntimeException {
  private final transient StoreOwner owner;

  public StoreNotHereException(String why, StoreOwner owner) {
    super(why);
    this.owner = owner;
  }

  /** Where it lives. */
  public StoreOwner owner() {
    return owner;
  }
}
