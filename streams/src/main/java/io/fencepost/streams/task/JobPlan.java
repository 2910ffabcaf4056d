package io.fencepost.streams.task;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobStartException;
import io.fencepost.streams.PlanNode;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.store.TaskId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A started job: a snapshot of its definition, cut into the parts that share nothing but topics.
 * Operators belong to one part if messages pass between them or they share a store; all sources of
 * a part are worked on by partition number.
 */
public final class JobPlan {
  private final String jobName;
  private final List<TaskPlan> parts = new ArrayList<>();
  private final Map<String, TaskPlan> byTopic = new LinkedHashMap<>();
  private @Nullable TaskPlan byPattern;
  private @Nullable Pattern pattern;

  /** What it writes for itself; a pattern that matches such a topic would feed it to the job. */
  private final Set<String> written = new TreeSet<>();

  public JobPlan(Job job, String applicationId, int maxRecordBytes) {
    this.jobName = job.name();
    for (Set<PlanNode> nodes : components(job)) {
      TaskPlan part = new TaskPlan(job, nodes, applicationId, maxRecordBytes);
      parts.add(part);
      part.topics().forEach(topic -> byTopic.put(topic, part));
      if (part.pattern() != null) {
        byPattern = part;
        pattern = part.pattern();
      }
      part.stores().forEach(store -> written.add(store.changelogTopic(applicationId)));
    }
    String dead = job.deadLetterTopic();
    if (dead != null) {
      refuseIfRead(dead);
      written.add(dead);
    }
  }

  private void refuseIfRead(String dead) {
    if (byTopic.containsKey(dead)) {
      throw new JobStartException(
          "job "
              + jobName
              + " reads its dead-letter topic "
              + dead
              + ", so a dead letter would come back and fail again without end; give"
              + " Job.deadLetters(...) a topic that the job does not read");
    }
  }

  /** In the order of their first sources. */
  private static List<Set<PlanNode>> components(Job job) {
    List<Set<PlanNode>> found = new ArrayList<>();
    for (PlanNode node : job.nodes()) {
      Set<PlanNode> touched = new LinkedHashSet<>(List.of(node));
      for (int output = 0; output < node.outputCount(); output++) {
        touched.addAll(node.next(output));
      }
      Set<PlanNode> joined = new LinkedHashSet<>();
      for (Set<PlanNode> other : found) {
        if (touches(other, touched)) {
          joined.addAll(other);
        }
      }
      joined.addAll(touched);
      int at = 0;
      while (at < found.size() && !touches(found.get(at), touched)) {
        at++;
      }
      found.removeIf(other -> touches(other, touched));
      found.add(Math.min(at, found.size()), joined);
    }
    return found;
  }

  private static boolean touches(Set<PlanNode> some, Set<PlanNode> others) {
    Set<StoreSpec<?, ?>> stores = new LinkedHashSet<>();
    some.forEach(node -> stores.addAll(node.stores()));
    return others.stream()
        .anyMatch(node -> some.contains(node) || node.stores().stream().anyMatch(stores::contains));
  }

  public String jobName() {
    return jobName;
  }

  public List<TaskPlan> parts() {
    return parts;
  }

  /** The part that reads a topic. */
  public TaskPlan of(String topic) {
    TaskPlan part = byTopic.getOrDefault(topic, byPattern);
    if (part == null) {
      throw new IllegalStateException("job " + jobName + " does not read topic " + topic);
    }
    return part;
  }

  TaskPlan of(TopicPartition input) {
    return of(input.topic());
  }

  /** The task that reads that partition, be it for its topic's name or pattern; null if none. */
  public @Nullable TaskId maybeTask(TopicPartition input) {
    boolean isRead = byTopic.containsKey(input.topic()) || isMatched(input.topic());
    return isRead ? new TaskId(of(input).name(), input.partition()) : null;
  }

  /** Whether equal partition numbers of several topics must be worked on by the same member. */
  public boolean isCoPartitioned() {
    return parts.stream()
        .anyMatch(
            part -> part.tableCount() > 0 && (part.topics().size() > 1 || part.pattern() != null));
  }

  /** All topics that are read by name, the job's own among them. */
  public List<String> topics() {
    return List.copyOf(new TreeSet<>(byTopic.keySet()));
  }

  /** Whether a topic is read for its name's pattern alone. */
  public boolean isMatched(String topic) {
    return pattern != null
        && !byTopic.containsKey(topic)
        && !written.contains(topic)
        && pattern.matcher(topic).matches();
  }

  /** How many calls may run at once; 0 if none runs in parallel. */
  public int parallelism() {
    return parts.stream().mapToInt(TaskPlan::parallelism).max().orElse(0);
  }

  /** What to subscribe to: all topics and the pattern; null if there is no pattern. */
  public @Nullable Pattern subscription() {
    if (pattern == null) {
      return null;
    }
    StringBuilder all = new StringBuilder();
    written.forEach(topic -> all.append("(?!").append(Pattern.quote(topic)).append("$)"));
    all.append("(?:").append(pattern.pattern()).append(')');
    byTopic.keySet().forEach(topic -> all.append('|').append(Pattern.quote(topic)));
    return Pattern.compile(all.toString(), pattern.flags());
  }
}
