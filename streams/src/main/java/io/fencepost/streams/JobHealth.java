package io.fencepost.streams;

import java.time.Instant;
import java.util.List;

/**
 * How a job is on this instance; {@link #toString} is for people.
 *
 * @param state the worst of its workers: FAILING before PAUSED, RESTORING, RUNNING, STARTING; ENDED
 *     when all have
 * @param detail the failure, or what is waited for, while FAILING, why it ended, else empty
 * @param since when it came into this state
 */
public record JobHealth(
    String job,
    String application,
    String instance,
    JobState state,
    String detail,
    Instant since,
    List<WorkerHealth> workers) {
  public boolean isRunning() {
    return state == JobState.RUNNING;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append("job ").append(job).append(", application ").append(application);
    text.append(", instance ").append(instance).append(": ");
    state(text, state, since, detail);
    for (WorkerHealth worker : workers) {
      text.append("\n  worker ").append(worker.worker()).append(": ");
      state(text, worker.state(), worker.since(), worker.detail());
      for (TaskHealth task : worker.tasks()) {
        text.append("\n    task ").append(task.task()).append(' ').append(task.phase());
        task.inputs().forEach(input -> text.append(' ').append(input));
      }
    }
    return text.toString();
  }

  private static void state(StringBuilder text, JobState state, Instant since, String detail) {
    text.append(state).append(" since ").append(since);
    if (!detail.isEmpty()) {
      text.append(": ").append(detail);
    }
  }
}
