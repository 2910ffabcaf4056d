package io.fencepost.broker.port.sim;

import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.port.Invariant;

/** Chance from a seed: xorshift64*, one independent stream per name. Not thread-safe. */
public final class SimEntropy implements Entropy {
  private final long seed;
  private long state;

  public SimEntropy(long seed) {
    this.seed = seed;
    long mixed = mix(seed);
    this.state = mixed == 0 ? 0x9e3779b97f4a7c15L : mixed;
  }

  /** What this stream was made from; with the commit it replays everything. */
  public long seed() {
    return seed;
  }

  @Override
  public long nextLong() {
    state ^= state >>> 12;
    state ^= state << 25;
    state ^= state >>> 27;
    return state * 0x2545f4914f6cdd1dL;
  }

  @Override
  public int nextInt(int bound) {
    Invariant.check(bound > 0, "a draw needs a positive bound, got %d of seed %d", bound, seed);
    return (int) (((nextLong() >>> 32) * bound) >>> 32);
  }

  /** True in this many of a thousand draws, on average. */
  public boolean oneOf(int perMille) {
    return perMille > 0 && nextInt(1000) < perMille;
  }

  /** Depends on this stream's seed and the name only, not on what was drawn before. */
  @Override
  public SimEntropy named(String component) {
    long derived = seed;
    for (int i = 0; i < component.length(); i++) {
      derived = mix(derived ^ component.charAt(i));
    }
    return new SimEntropy(mix(derived + component.length()));
  }

  private static long mix(long value) {
    long z = value + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
