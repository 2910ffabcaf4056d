package io.fencepost.streams;

import java.util.List;

/**
 * One task of a worker, as it stood when the worker last looked (twice a second).
 *
 * @param task its name, PART-PARTITION
 * @param part the part of the job, named by its first topic
 * @param phase OPENING (waits for its stores), RESTORING, RUNNING
 */
public record TaskHealth(
    String task, String part, int partition, String phase, List<Input> inputs) {
  /**
   * An input partition of the task.
   *
   * @param position offset of the next record to process; -1 while it is not known
   * @param lag end of the committed input minus position; -1 while it is not known
   */
  public record Input(String topic, int partition, long position, long lag) {
    @Override
    public String toString() {
      String at = position < 0 ? "?" : String.valueOf(position);
      return topic + "-" + partition + "@" + at + (lag < 0 ? "" : " lag " + lag);
    }
  }

  public boolean isRunning() {
    return phase.equals("RUNNING");
  }
}
