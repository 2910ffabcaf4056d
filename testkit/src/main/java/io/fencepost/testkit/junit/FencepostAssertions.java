package io.fencepost.testkit.junit;

import io.fencepost.streams.Job;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Entry points, for a static import; they go along with those of AssertJ. */
public final class FencepostAssertions {
  private FencepostAssertions() {}

  /** Reads the log, to say what its readers see. */
  public static LogAssert assertThat(LogScript log) {
    return new LogAssert(log.read());
  }

  /** Begins to say what a job is given and what it has to make of it. */
  public static ExactlyOnce assertExactlyOnce(Job job) {
    return new ExactlyOnce(job);
  }

  /** In a {@link LogScript}: sends these and stays open. */
  public static Consumer<TransactionScript> open(@Nullable Object... values) {
    return it -> it.send(values);
  }

  /** In a {@link LogScript}: sends these and commits. */
  public static Consumer<TransactionScript> committed(@Nullable Object... values) {
    return it -> it.send(values).commit();
  }

  /** In a {@link LogScript}: sends these and aborts. */
  public static Consumer<TransactionScript> aborted(@Nullable Object... values) {
    return it -> it.send(values).abort();
  }
}
