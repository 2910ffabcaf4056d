package io.fencepost.streams.task;

import io.fencepost.streams.JobStartException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * How many partitions each part of a job has: those of its own topics follow from the user's. The
 * parts remember their counts.
 */
public final class PartitionCounts {
  private final JobPlan plan;
  private final Map<TaskPlan, Integer> counts = new LinkedHashMap<>();

  private PartitionCounts(JobPlan plan) {
    this.plan = plan;
  }

  /**
   * The count of each part.
   *
   * @param sources gives the partition counts of the user's topics that a part reads, those that
   *     match its pattern included
   * @throws JobStartException naming the topics that do not go together
   */
  public static Map<TaskPlan, Integer> of(
      JobPlan plan, Function<TaskPlan, SortedMap<String, Integer>> sources) {
    PartitionCounts result = new PartitionCounts(plan);
    for (TaskPlan part : plan.parts()) {
      result.countBySources(part, sources.apply(part));
    }
    while (result.counts.size() < plan.parts().size()) {
      int before = result.counts.size();
      plan.parts().forEach(result::countByWriters);
      if (result.counts.size() == before) {
        throw new IllegalStateException("job " + plan.jobName() + " has parts nothing leads to");
      }
    }
    result.counts.forEach(TaskPlan::partitionCount);
    return result.counts;
  }

  private void countBySources(TaskPlan part, SortedMap<String, Integer> sources) {
    Pattern pattern = part.pattern();
    if (!sources.isEmpty()) {
      counts.put(part, most(part, sources));
    } else if (pattern != null && part.tableCount() > 0) {
      throw new JobStartException(
          "no topic matches the pattern "
              + pattern
              + " yet, and the job has state behind it: the number of their partitions decides"
              + " that of its changelogs. Create a first topic");
    } else if (pattern != null) {
      counts.put(part, 1);
    }
  }

  private static int most(TaskPlan part, SortedMap<String, Integer> sources) {
    TreeSet<Integer> different = new TreeSet<>(sources.values());
    if (different.size() > 1 && part.tableCount() > 0) {
      throw new JobStartException(
          "source topics differ in their number of partitions ("
              + sources
              + "), and the job has state: equal keys must have equal partition numbers. Give the"
              + " topics the same number of partitions, or send one side through keyBy(...), which"
              + " takes the number of the other");
    }
    return different.last();
  }

  /** A part that reads only the job's own topics gets as many as those have that write them. */
  private void countByWriters(TaskPlan part) {
    int most = 0;
    for (TaskPlan writer : plan.parts()) {
      if (writer != part && writer.writtenTopics().stream().anyMatch(part.ownTopics()::contains)) {
        Integer count = counts.get(writer);
        if (count == null) {
          return;
        }
        most = Math.max(most, count);
      }
    }
    counts.putIfAbsent(part, most);
  }
}
