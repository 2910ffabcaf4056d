package io.fencepost.streams.task;

import io.fencepost.streams.JobEnd;
import io.fencepost.streams.StopReason;
import java.util.List;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Puts the failure that ended a worker into a reason and a sentence. */
public final class Ending {
  private Ending() {}

  /** What the loop threw: an {@link Error}, with the input at which the job's code threw it. */
  public static JobEnd thrown(Throwable error) {
    String where = "";
    for (Throwable note : error.getSuppressed()) {
      if (note instanceof AtInput) {
        where = "at input " + note.getMessage() + ": ";
      }
    }
    return new JobEnd(StopReason.FAILED, where + error, error, List.of());
  }

  /** What no repetition helps against. */
  public static JobEnd fatal(Throwable error) {
    Throwable telling = FailureClass.telling(error);
    return new JobEnd(reason(telling), sentence(telling), error, List.of());
  }

  static JobEnd replaced(Throwable error) {
    return new JobEnd(
        StopReason.REPLACED,
        "another process most likely works under the same name, the group.instance.id and"
            + " transactional id made of application.id, instance.id and worker. Give each instance"
            + " its own instance.id or state.dir; last error: "
            + sentence(FailureClass.telling(error)),
        error,
        List.of());
  }

  static JobEnd timedOut(Throwable error, long taskTimeoutMs) {
    return new JobEnd(
        StopReason.TIMED_OUT,
        "no transaction succeeded for task.timeout.ms="
            + taskTimeoutMs
            + "; last error: "
            + sentence(FailureClass.telling(error)),
        error,
        List.of());
  }

  /** There is no changelog for what that input would write. */
  static JobEnd grown(TopicPartition input, int partitionCount) {
    return new JobEnd(
        StopReason.FAILED,
        "topic "
            + input.topic()
            + " has got partition "
            + input.partition()
            + ", and the job keeps state for "
            + partitionCount
            + " partitions: equal keys would not find their state any more. Start again with a new"
            + " application.id or new store names, or put a topic with the old number of partitions"
            + " in its place",
        null,
        List.of());
  }

  private static StopReason reason(Throwable error) {
    if (error instanceof PoisonInput) {
      return StopReason.POISON_INPUT;
    }
    if (FailureClass.isInterrupt(error)) {
      return StopReason.STOPPED;
    }
    return error instanceof KafkaException ? StopReason.REFUSED : StopReason.FAILED;
  }

  private static String sentence(Throwable error) {
    String message = error.getMessage();
    boolean isOurs =
        error instanceof PoisonInput
            || error instanceof OutputRefused
            || error instanceof ChangelogLost;
    return isOurs && message != null ? message : error.toString();
  }
}
