package io.fencepost.streams.task;

import io.fencepost.streams.store.TaskId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Which instances keep standby copies of a task: those that draw the highest numbers from a hash of
 * task and instance (rendezvous hashing). Every instance comes to the same answer alone, and one
 * that comes or goes changes only the tasks that it gains or leaves.
 */
public final class StandbyRule {
  private StandbyRule() {}

  /** The holders, best first; never the owner. */
  public static List<String> holders(
      TaskId task, String owner, Collection<String> instances, int replicas) {
    List<String> others = new ArrayList<>(instances);
    others.removeIf(owner::equals);
    others.sort(
        Comparator.comparingInt((String instance) -> draw(task, instance))
            .reversed()
            .thenComparing(Comparator.naturalOrder()));
    return others.subList(0, Math.min(replicas, others.size()));
  }

  private static int draw(TaskId task, String instance) {
    String text = task + " " + instance;
    return DefaultPartitioning.murmur2(text.getBytes(StandardCharsets.UTF_8));
  }
}
