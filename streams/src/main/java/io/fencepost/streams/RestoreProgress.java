package io.fencepost.streams;

/**
 * How far a store of one task is on its way to the end of its changelog.
 *
 * @param task the task, as PART-PARTITION
 * @param store the store's name
 * @param from changelog offset where reading began
 * @param position next changelog offset to read; the store is there when it reaches {@code end}
 * @param end changelog offset up to which it must be read
 * @param records changelog records applied so far
 * @param recordsPerSecond on average since reading began; 0 before the first second is over
 */
public record RestoreProgress(
    String task,
    int partition,
    String store,
    long from,
    long position,
    long end,
    long records,
    long recordsPerSecond) {
  @Override
  public String toString() {
    return "store "
        + store
        + " of task "
        + task
        + ": from "
        + from
        + ", at "
        + position
        + ", end "
        + end
        + ", "
        + records
        + " records, "
        + recordsPerSecond
        + "/s";
  }
}
