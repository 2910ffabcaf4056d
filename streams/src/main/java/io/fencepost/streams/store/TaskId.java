package io.fencepost.streams.store;

/**
 * One partition number of one part of a job: what is worked on as a whole, by one worker.
 *
 * @param part name of the sub-topology, from the job's own names: stable over restarts
 */
public record TaskId(String part, int partition) implements Comparable<TaskId> {
  @Override
  public int compareTo(TaskId other) {
    int byPart = part.compareTo(other.part);
    return byPart == 0 ? Integer.compare(partition, other.partition) : byPart;
  }

  @Override
  public String toString() {
    return part + "-" + partition;
  }
}
