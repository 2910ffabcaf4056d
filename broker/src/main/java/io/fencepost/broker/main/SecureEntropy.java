package io.fencepost.broker.main;

import io.fencepost.broker.port.Entropy;
import java.security.SecureRandom;

/** Chance that nobody can guess; all names share one source. Thread-safe. */
public final class SecureEntropy implements Entropy {
  private final SecureRandom random = new SecureRandom();

  @Override
  public long nextLong() {
    return random.nextLong();
  }

  @Override
  public int nextInt(int bound) {
    return random.nextInt(bound);
  }

  @Override
  public Entropy named(String component) {
    return this;
  }
}
