package io.fencepost.broker.port;

/** Chance: ids and jitter. Thread-safe in the real shell. */
public interface Entropy {
  /** The next 64 random bits. */
  long nextLong();

  /** A uniform draw from 0 (inclusive) to the bound (exclusive). */
  int nextInt(int bound);

  /**
   * An independent source for one component, so that a draw more in one place does not change what
   * another place gets.
   */
  Entropy named(String component);
}
