package io.fencepost.streams.task;

import io.fencepost.streams.Origin;
import org.jspecify.annotations.Nullable;

/** An input record that cannot be processed in a job that has no dead-letter topic. */
public final class PoisonInput extends RuntimeException {
  public PoisonInput(Origin origin, String reason, @Nullable Throwable cause) {
    super(
        "input "
            + origin
            + " cannot be processed: "
            + reason
            + ". Nothing of it was committed. Set a dead-letter topic (Job.deadLetters) to pass"
            + " such records, or correct the code and start again: the job goes on at this record.",
        cause);
  }
}
