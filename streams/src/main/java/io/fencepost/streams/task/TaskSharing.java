package io.fencepost.streams.task;

import io.fencepost.streams.store.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which member of the group works on which task. Each part's tasks are spread evenly, and all tasks
 * together as well; within that a task stays where it is, else goes to the member with the freshest
 * copy of its state, else to the one with the least to do. The same members give the same answer.
 */
public final class TaskSharing {
  /**
   * A member as it describes itself.
   *
   * @param owned tasks that it works on now
   * @param copies tasks whose state it has on disk, and how fresh: the larger the fresher
   */
  public record Member(String id, Collection<TaskId> owned, Map<TaskId, Long> copies) {}

  private final List<Member> members;
  private final Map<TaskId, String> owners = new TreeMap<>();
  private final Map<String, TreeSet<TaskId>> shares = new TreeMap<>();
  private int most;

  public TaskSharing(Collection<Member> members) {
    this.members = new ArrayList<>(members);
    this.members.sort(Comparator.comparing(Member::id));
    TreeSet<TaskId> disputed = new TreeSet<>();
    for (Member member : this.members) {
      shares.put(member.id(), new TreeSet<>());
      for (TaskId task : member.owned()) {
        if (owners.put(task, member.id()) != null) {
          disputed.add(task);
        }
      }
    }
    owners.keySet().removeAll(disputed);
  }

  /** The share of each member by its id; members with nothing to do have an empty one. */
  public Map<String, TreeSet<TaskId>> share(Collection<TaskId> tasks) {
    most = (tasks.size() + members.size() - 1) / members.size();
    Map<String, List<TaskId>> parts = new LinkedHashMap<>();
    for (TaskId task : new TreeSet<>(tasks)) {
      parts.computeIfAbsent(task.part(), unused -> new ArrayList<>()).add(task);
    }
    parts.values().forEach(this::sharePart);
    return shares;
  }

  private void sharePart(List<TaskId> tasks) {
    Map<String, Integer> left = capacities(tasks);
    List<TaskId> homeless = new ArrayList<>();
    for (TaskId task : tasks) {
      String owner = owners.get(task);
      if (owner == null || !take(task, owner, left)) {
        homeless.add(task);
      }
    }
    for (TaskId task : homeless) {
      take(task, best(task, left), left);
    }
  }

  /** How many of these each may have: as even as can be, one more for who has one more already. */
  private Map<String, Integer> capacities(List<TaskId> tasks) {
    int each = tasks.size() / members.size();
    int extras = tasks.size() % members.size();
    Comparator<Member> order =
        Comparator.comparing((Member member) -> !keepsExtra(member, tasks, each))
            .thenComparing(member -> share(member).size());
    List<Member> sorted = new ArrayList<>(members);
    sorted.sort(order);
    Map<String, Integer> left = new LinkedHashMap<>();
    for (int i = 0; i < sorted.size(); i++) {
      left.put(sorted.get(i).id(), each + (i < extras ? 1 : 0));
    }
    return left;
  }

  private boolean keepsExtra(Member member, List<TaskId> tasks, int each) {
    long owned = tasks.stream().filter(task -> member.id().equals(owners.get(task))).count();
    return owned > each && share(member).size() + each < most;
  }

  private TreeSet<TaskId> share(Member member) {
    return shares.getOrDefault(member.id(), new TreeSet<>());
  }

  private boolean take(TaskId task, String member, Map<String, Integer> left) {
    int free = left.getOrDefault(member, 0);
    if (free == 0) {
      return false;
    }
    left.put(member, free - 1);
    shares.computeIfAbsent(member, unused -> new TreeSet<>()).add(task);
    return true;
  }

  private String best(TaskId task, Map<String, Integer> left) {
    Comparator<Member> order =
        Comparator.comparing((Member member) -> -member.copies().getOrDefault(task, -1L))
            .thenComparing(member -> share(member).size());
    @Nullable Member best = null;
    for (Member member : members) {
      boolean isFree = left.getOrDefault(member.id(), 0) > 0;
      if (isFree && (best == null || order.compare(member, best) < 0)) {
        best = member;
      }
    }
    if (best == null) {
      throw new IllegalStateException("no member is free for task " + task);
    }
    return best.id();
  }
}
