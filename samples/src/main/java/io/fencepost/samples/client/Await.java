package io.fencepost.samples.client;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.KafkaException;

/** Waits for what a broker does by itself. */
public final class Await {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration GLANCE = Duration.ofMillis(5);

  private Await() {}

  /** Returns once it is so; a {@link KafkaException} names it if that takes too long. */
  public static void until(String what, BooleanSupplier isSo) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new KafkaException("not within " + PATIENCE.toSeconds() + " s: " + what);
      }
      LockSupport.parkNanos(GLANCE.toNanos());
    }
  }
}
