package io.fencepost.streams.client;

import io.fencepost.streams.JobStartException;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;

/** Says what a client found wrong with its settings, of which it may say the least itself. */
final class RefusedSettings {
  private RefusedSettings() {}

  static <T> T check(Supplier<T> client) {
    try {
      return client.get();
    } catch (KafkaException e) {
      throw new JobStartException(
          "the clients refuse the job's settings: " + reasons(e) + "; correct them", e);
    }
  }

  /** The reason is often under a "Failed to construct", and under more than one of them. */
  private static String reasons(Throwable error) {
    StringBuilder all = new StringBuilder();
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      String message = cause.getMessage();
      if (message != null && all.indexOf(message) < 0) {
        all.append(all.isEmpty() ? "" : ": ").append(message);
      }
    }
    return all.toString();
  }
}
