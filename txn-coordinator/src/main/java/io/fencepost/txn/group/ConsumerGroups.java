package io.fencepost.txn.group;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.consumer.ConsumerCodec;
import io.fencepost.txn.group.consumer.ConsumerGroup;
import io.fencepost.txn.group.consumer.ConsumerHeartbeat;
import io.fencepost.txn.group.consumer.ConsumerMember;
import io.fencepost.txn.group.consumer.ConsumerSessions;
import io.fencepost.txn.group.consumer.ConsumerSettings;
import io.fencepost.txn.group.consumer.Draft;
import io.fencepost.txn.group.consumer.HeartbeatAnswer;
import io.fencepost.txn.group.consumer.Heartbeats;
import io.fencepost.txn.group.consumer.TopicRegex;
import io.fencepost.txn.group.consumer.TopicsView;
import io.fencepost.txn.shard.NewRecord;
import io.fencepost.txn.shard.ShardDecision;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.ShardTask;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Drives the groups of the newer protocol on this broker: decides under the shard's lock, logs,
 * answers when the log has it. Called by the API handlers. Thread-safe.
 *
 * <p>All that may change a group takes the group's id as key of its runtime, so each decision sees
 * what the one before it led to. A heartbeat that changes nothing is answered without the log.
 */
public final class ConsumerGroups {
  /** Of a freshly loaded shard, at a time. */
  private static final int WAKE_GROUPS = 200;

  private final GroupCoordinator groups;
  private final ClusterView cluster;
  private final Clock clock;
  private final Scheduler scheduler;
  private final ConsumerSettings settings;
  private final Heartbeats heartbeats;
  private final GroupLimits classicLimits;
  private final Migration migration;

  /** What the coordinators of one broker share. */
  public record World(ClusterView cluster, Clock clock, Scheduler scheduler) {}

  public ConsumerGroups(
      GroupCoordinator groups, World world, ConsumerSettings settings, GroupLimits classicLimits) {
    this.groups = groups;
    this.cluster = world.cluster();
    this.clock = world.clock();
    this.scheduler = world.scheduler();
    this.settings = settings;
    this.heartbeats = new Heartbeats(settings);
    this.classicLimits = classicLimits;
    this.migration = new Migration(settings, classicLimits);
  }

  /** What members that speak the classic protocol are allowed. */
  GroupLimits classicLimits() {
    return classicLimits;
  }

  public ConsumerSettings settings() {
    return settings;
  }

  Heartbeats heartbeats() {
    return heartbeats;
  }

  /** The topics as they are now. */
  public TopicsView topics() {
    return new ClusterTopics(cluster.state());
  }

  /** The assignor that the group's next targets will come from. */
  public String assignorOf(ConsumerGroup group) {
    return heartbeats.assignorOf(group);
  }

  /** A ConsumerGroupHeartbeat. */
  public void heartbeat(
      String groupId, ConsumerHeartbeat command, Consumer<HeartbeatAnswer> answer) {
    String memberId =
        command.memberId().isEmpty() ? groups.freshMemberId("consumer") : command.memberId();
    groups.writeInTurn(groupId, new BeatTask(groupId, command, memberId, answer));
  }

  /** Lets the sessions of the groups in a freshly loaded shard run. */
  public void onServing(ShardRuntime<GroupShard> runtime) {
    wake(runtime, "");
  }

  /** A few at a time: a broker that was just elected has to answer first. */
  private void wake(ShardRuntime<GroupShard> runtime, String afterId) {
    groups.read(
        runtime,
        shard -> {
          List<String> ids = shard.consumers().recorded(afterId, WAKE_GROUPS);
          ids.forEach(groupId -> wake(shard, groupId));
          return ids;
        },
        ids -> {
          if (ids.size() == WAKE_GROUPS) {
            scheduler.run(() -> wake(runtime, ids.get(ids.size() - 1)));
          }
        },
        error -> {});
  }

  private void wake(GroupShard shard, String groupId) {
    ConsumerGroup group = shard.consumers().find(groupId);
    if (group != null && group.members().isEmpty()) {
      shard.consumers().forgetIdle(groupId);
    } else if (group != null) {
      sessions(shard, groupId).startAll(group, shard.now().monotonicMs());
      settle(shard, group);
    }
  }

  ConsumerSessions sessions(GroupShard shard, String groupId) {
    return live(shard, groupId).sessions;
  }

  private LiveConsumers live(GroupShard shard, String groupId) {
    return shard.liveConsumers(
        groupId,
        () ->
            new LiveConsumers(
                new ConsumerSessions(() -> settings.timesOf(groupId).sessionTimeoutMs())));
  }

  /** Sets the timer for the group's next deadline. One that fires early only looks again. */
  private void settle(GroupShard shard, ConsumerGroup group) {
    String groupId = group.id();
    LiveConsumers live = live(shard, groupId);
    live.sessions.follow(group, shard.now().monotonicMs());
    long nextMs = live.sessions.nextDeadlineMs();
    if (nextMs == Long.MAX_VALUE) {
      shard.forgetConsumers(groupId);
      return;
    }
    if (live.timer != null && live.timerAtMs <= nextMs) {
      return;
    }
    live.cancelTimer();
    live.timerAtMs = nextMs;
    long delayMs = Math.max(0, nextMs - Moment.of(clock).monotonicMs());
    live.timer = scheduler.after(delayMs, () -> onTimer(groupId, live));
  }

  private void onTimer(String groupId, LiveConsumers live) {
    change(
        groupId,
        (shard, draft, topics) -> {
          if (live(shard, groupId) == live) {
            live.timer = null;
            List<String> overdue = live.sessions.overdue(shard.now().monotonicMs());
            overdue.removeIf(memberId -> draft.group().member(memberId) == null);
            if (!overdue.isEmpty()) {
              heartbeats.remove(draft, overdue, topics);
            }
          }
          return () -> {};
        });
  }

  /** The patterns of the group are matched with the topics of now, outside of the lock. */
  private void rematch(String groupId, List<String> patterns) {
    TopicsView topics = topics();
    List<TopicRegex> regexes = new ArrayList<>();
    for (String pattern : patterns) {
      TopicRegex regex = TopicRegex.of(pattern, topics);
      if (regex.fault() == null) {
        regexes.add(regex);
      }
    }
    change(
        groupId,
        (shard, draft, now) -> {
          heartbeats.rematch(draft, regexes, topics, shard.now().wallMs());
          return () -> {};
        });
  }

  /** Whether the topics are others than when the group last looked; sees to its patterns then. */
  boolean looksAtTopics(GroupShard shard, ConsumerGroup group, TopicsView topics) {
    boolean isNew = sessions(shard, group.id()).sees(topics.version());
    List<String> patterns = List.copyOf(group.patterns().keySet());
    if (isNew && !patterns.isEmpty()) {
      scheduler.run(() -> rematch(group.id(), patterns));
    }
    return isNew;
  }

  /** Decides about a group: extends the draft, and says what to run when that is durable. */
  @FunctionalInterface
  interface Change {
    Runnable make(GroupShard shard, Draft draft, TopicsView topics);
  }

  /** Something that nobody waits for: if it fails, the next timer looks again. */
  private void change(String groupId, Change change) {
    change(groupId, change, () -> {}, error -> lookAgain(groupId));
  }

  /**
   * Changes a group of the newer protocol in its turn.
   *
   * @param otherwise there is no such group
   * @param refused the group is not here, or the change could not be logged
   */
  void change(String groupId, Change change, Runnable otherwise, Consumer<WireError> refused) {
    groups.writeInTurn(groupId, new ChangeTask(groupId, change, otherwise, refused));
  }

  private void lookAgain(String groupId) {
    groups.read(
        groupId,
        shard -> {
          ConsumerGroup group = shard.consumers().find(groupId);
          if (group != null) {
            settle(shard, group);
          }
          return shard;
        },
        shard -> {},
        error -> {});
  }

  /** What the draft comes to: records, and the group as it will be from now on. */
  private ShardDecision decision(
      GroupShard shard, List<NewRecord> before, Draft draft, Runnable answer) {
    ConsumerGroup after = draft.group();
    settle(shard, after);
    if (draft.changes().isEmpty()) {
      return ShardDecision.write(before, answer);
    }
    long nowMs = shard.now().wallMs();
    GroupRecord classic = draft.lostItsLast() ? migration.downgrade(after, topics(), nowMs) : null;
    if (classic != null) {
      draft.end();
    }
    List<NewRecord> records = new ArrayList<>(before);
    draft.changes().forEach(change -> records.add(ConsumerCodec.record(after.id(), change)));
    shard.consumers().note(draft.group());
    if (classic == null) {
      return ShardDecision.write(records, answer);
    }
    records.add(GroupCodec.group(after.id(), classic));
    shard.forgetConsumers(after.id());
    return ShardDecision.write(
        records,
        () -> {
          answer.run();
          groups.rebalance(after.id());
        });
  }

  private final class BeatTask implements ShardTask<GroupShard> {
    private final String groupId;
    private final ConsumerHeartbeat command;
    private final String memberId;
    private final Consumer<HeartbeatAnswer> answer;

    /** Answers to members of a classic group that turns into this one. */
    private final GroupEffects dissolved = new GroupEffects();

    BeatTask(
        String groupId,
        ConsumerHeartbeat command,
        String memberId,
        Consumer<HeartbeatAnswer> answer) {
      this.groupId = groupId;
      this.command = command;
      this.memberId = memberId;
      this.answer = answer;
    }

    @Override
    public ShardDecision decide(GroupShard shard) {
      ConsumerGroup group = shard.consumers().current(groupId);
      if (group != null) {
        return decide(shard, new Draft(group), List.of());
      }
      ClassicGroup classic = command.isJoin() ? shard.find(groupId) : null;
      Draft draft = command.isJoin() ? draftFrom(classic) : null;
      if (draft == null) {
        return answer(
            HeartbeatAnswer.refused(
                WireError.GROUP_ID_NOT_FOUND, "There is no consumer group " + groupId));
      }
      List<NewRecord> records = new ArrayList<>();
      if (classic != null && shard.hasRow(groupId)) {
        records.add(GroupCodec.groupTombstone(groupId));
      }
      HeartbeatAnswer refusal = heartbeats.refusal(draft, command, memberId);
      if (refusal != null) {
        return answer(refusal);
      }
      if (classic != null) {
        Migration.dissolve(classic, shard.now(), dissolved);
        shard.forget(groupId);
      }
      return decide(shard, draft, records);
    }

    private @Nullable Draft draftFrom(@Nullable ClassicGroup classic) {
      return classic == null || classic.isIdle()
          ? new Draft(ConsumerGroup.fresh(groupId))
          : migration.upgrade(classic, topics());
    }

    private ShardDecision decide(GroupShard shard, Draft draft, List<NewRecord> before) {
      TopicsView topics = topics();
      HeartbeatAnswer result;
      if (command.isLeave()) {
        result = heartbeats.leave(draft, command, topics);
      } else {
        boolean lookAtTopics = looksAtTopics(shard, draft.group(), topics);
        result =
            heartbeats.beat(draft, command, memberId, topics, lookAtTopics, shard.now().wallMs());
        ConsumerMember member = draft.group().member(memberId);
        if (result.error() == WireError.NONE && member != null) {
          sessions(shard, groupId).alive(member, shard.now().monotonicMs());
        }
      }
      return result.error() == WireError.NONE
          ? decision(shard, before, draft, () -> finish(result))
          : answer(result);
    }

    private ShardDecision answer(HeartbeatAnswer result) {
      return ShardDecision.answer(() -> finish(result));
    }

    private void finish(HeartbeatAnswer result) {
      dissolved.answers().forEach(Runnable::run);
      answer.accept(result);
    }

    @Override
    public void refused(WireError error) {
      finish(HeartbeatAnswer.refused(error, "Group " + groupId + " cannot be served: " + error));
    }
  }

  private final class ChangeTask implements ShardTask<GroupShard> {
    private final String groupId;
    private final Change change;
    private final Runnable otherwise;
    private final Consumer<WireError> refused;

    ChangeTask(String groupId, Change change, Runnable otherwise, Consumer<WireError> refused) {
      this.groupId = groupId;
      this.change = change;
      this.otherwise = otherwise;
      this.refused = refused;
    }

    @Override
    public ShardDecision decide(GroupShard shard) {
      ConsumerGroup group = shard.consumers().current(groupId);
      if (group == null) {
        shard.forgetConsumers(groupId);
        return ShardDecision.answer(otherwise);
      }
      Draft draft = new Draft(group);
      return decision(shard, List.of(), draft, change.make(shard, draft, topics()));
    }

    @Override
    public void refused(WireError error) {
      refused.accept(error);
    }
  }
}
