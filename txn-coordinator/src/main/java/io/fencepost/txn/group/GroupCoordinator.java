package io.fencepost.txn.group;

import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.consumer.ConsumerGroupState;
import io.fencepost.txn.shard.NewRecord;
import io.fencepost.txn.shard.ShardDecision;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.ShardTask;
import io.fencepost.txn.shard.Shards;
import java.util.EnumSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Steps the groups of this broker: finds the shard, runs the step under its lock, appends what it
 * wrote, sends the answers, and sets the timer for the group's next deadline. Called by the API
 * handlers. Thread-safe.
 *
 * <p>Steps take no key of their runtime: whatever they depend on is in memory and current, so that
 * heartbeats never wait for the disk.
 */
public final class GroupCoordinator {
  /** Of a freshly loaded shard, at a time. */
  private static final int WAKE_GROUPS = 200;

  private final Shards<GroupShard> shards;
  private final Clock clock;
  private final Scheduler scheduler;
  private final Entropy entropy;

  /** One thing that happens to a group; runs under its shard's lock. */
  @FunctionalInterface
  public interface Step {
    void run(GroupShard shard, Moment now, GroupEffects out);
  }

  public GroupCoordinator(
      Shards<GroupShard> shards, Clock clock, Scheduler scheduler, Entropy entropy) {
    this.shards = shards;
    this.clock = clock;
    this.scheduler = scheduler;
    // A simulated broker is started several times from one seed, and old ids live on in the log.
    this.entropy = entropy.named("group-member-ids-" + clock.monotonicNanos());
  }

  /** An id for a new member; begins with something that a reader of logs knows. */
  public String freshMemberId(String origin) {
    long high = entropy.nextLong();
    long low = entropy.nextLong();
    return String.format(
        "%s-%08x-%04x-%04x-%04x-%012x",
        origin,
        high >>> 32,
        (high >>> 16) & 0xffff,
        (high & 0x0fff) | 0x4000,
        ((low >>> 48) & 0x3fff) | 0x8000,
        low & 0xffff_ffff_ffffL);
  }

  /** The shard of the group, or null if it is not here. */
  @Nullable ShardRuntime<GroupShard> find(String groupId) {
    return shards.find(groupId);
  }

  /** The shards that are here. */
  public List<ShardRuntime<GroupShard>> shards() {
    return shards.all();
  }

  /** Runs the step, or says why the group is not here. */
  public void step(String groupId, Step step, Consumer<WireError> refused) {
    step(shards.find(groupId), groupId, new StepPlan(step, null), refused);
  }

  /**
   * The same for a request of the classic protocol.
   *
   * @param bridge runs instead if the group is one of the newer protocol
   */
  public void step(String groupId, Step step, Runnable bridge, Consumer<WireError> refused) {
    step(shards.find(groupId), groupId, new StepPlan(step, bridge), refused);
  }

  private void step(
      @Nullable ShardRuntime<GroupShard> runtime,
      String groupId,
      StepPlan plan,
      Consumer<WireError> refused) {
    if (runtime == null) {
      refused.accept(WireError.NOT_COORDINATOR);
    } else {
      runtime.write(null, new StepTask(runtime, groupId, plan, refused));
    }
  }

  /** The members of a classic group come together anew. */
  void rebalance(String groupId) {
    step(
        groupId,
        (shard, now, out) -> {
          ClassicGroup group = shard.find(groupId);
          if (group != null) {
            group.rebalanceAnew(now, out);
          }
        },
        error -> {});
  }

  /** Runs the task in the group's shard. */
  public void write(String groupId, ShardTask<GroupShard> task) {
    ShardRuntime<GroupShard> runtime = shards.find(groupId);
    if (runtime == null) {
      task.refused(WireError.NOT_COORDINATOR);
    } else {
      runtime.write(null, task);
    }
  }

  /** Runs the task when all that came before it in its turn is done for the group. */
  public void writeInTurn(String groupId, ShardTask<GroupShard> task) {
    shards.write(groupId, task);
  }

  /**
   * Looks at a group: the function under the lock, the answer outside; both before this returns.
   */
  public <T> void read(
      String groupId,
      Function<GroupShard, T> look,
      Consumer<T> answer,
      Consumer<WireError> refused) {
    write(groupId, new LookTask<>(look, answer, refused));
  }

  /** The same for all groups of one shard. */
  public <T> void read(
      ShardRuntime<GroupShard> runtime,
      Function<GroupShard, T> look,
      Consumer<T> answer,
      Consumer<WireError> refused) {
    runtime.write(null, new LookTask<>(look, answer, refused));
  }

  /** Lets the sessions of the groups in a freshly loaded shard run. */
  public void onServing(ShardRuntime<GroupShard> runtime) {
    wake(runtime, "");
  }

  /**
   * Brings groups that had members into memory, a few at a time: a broker that was just elected has
   * to answer first. Who is asked for before its turn is awake from then on.
   */
  private void wake(ShardRuntime<GroupShard> runtime, String fromId) {
    read(
        runtime,
        shard -> {
          List<String> ids = shard.recorded(fromId, WAKE_GROUPS);
          for (String groupId : ids) {
            shard.find(groupId);
            settle(shard, groupId);
          }
          return ids;
        },
        ids -> {
          if (ids.size() == WAKE_GROUPS) {
            // The first id after the last one that was seen.
            String next = ids.get(ids.size() - 1) + '\0';
            scheduler.run(() -> wake(runtime, next));
          }
        },
        error -> {});
  }

  /**
   * How many groups with members, or with somebody on the way in, are in each state; one shard a
   * little after the other. Loads nothing.
   */
  public SortedMap<String, Integer> countLive() {
    TreeMap<String, Integer> counts = new TreeMap<>();
    for (GroupState state : EnumSet.complementOf(EnumSet.of(GroupState.DEAD))) {
      counts.put(state.protocolName(), 0);
    }
    for (ConsumerGroupState state : ConsumerGroupState.values()) {
      counts.put(state.protocolName(), 0);
    }
    for (ShardRuntime<GroupShard> runtime : shards.serving()) {
      read(
          runtime,
          GroupShard::countLive,
          seen -> seen.forEach((state, n) -> counts.merge(state, n, Integer::sum)),
          error -> {});
    }
    return counts;
  }

  /** Takes the roles as they are now. */
  public void refresh() {
    shards.refresh();
  }

  /** The same a moment later. May be called under any lock. */
  public void refreshSoon() {
    shards.refreshSoon();
  }

  /** The shards whose state is in place; changes no roles. */
  public List<ShardRuntime<GroupShard>> serving() {
    return shards.serving();
  }

  /** Ends all groups in memory, so that nobody waits for an answer; then refuses everything. */
  public void close() {
    shards.close();
  }

  /** Forgets an idle group, or sets its timer. A timer that fires early only looks again. */
  private void settle(GroupShard shard, String groupId) {
    LiveGroup live = shard.live(groupId);
    if (live == null) {
      return;
    }
    if (live.isForgettable()) {
      shard.forget(groupId);
      return;
    }
    long nextMs = live.group.nextDeadlineMs();
    if (nextMs == Long.MAX_VALUE || (live.timer != null && live.timerAtMs <= nextMs)) {
      return;
    }
    live.cancelTimer();
    live.timerAtMs = nextMs;
    long delayMs = Math.max(0, nextMs - Moment.of(clock).monotonicMs());
    live.timer = scheduler.after(delayMs, () -> onTimer(groupId, live));
  }

  private void onTimer(String groupId, LiveGroup live) {
    step(
        groupId,
        (shard, now, out) -> {
          if (shard.live(groupId) == live) {
            live.timer = null;
            live.group.onTime(now, out);
          }
        },
        error -> {});
  }

  /** In the same term: the groups of the next one know nothing of these writes. */
  private void finish(
      ShardRuntime<GroupShard> runtime, String groupId, GroupEffects done, WireError error) {
    done.answers().forEach(Runnable::run);
    if (done.writes().isEmpty()) {
      return;
    }
    Step next =
        (shard, now, out) -> {
          LiveGroup live = shard.live(groupId);
          if (live != null) {
            live.unsettledWrites = Math.max(0, live.unsettledWrites - done.writes().size());
            live.isAheadOfRow = error != WireError.NONE;
          }
          for (GroupEffects.Write write : done.writes()) {
            write.done().on(error, now, out);
          }
        };
    step(runtime, groupId, new StepPlan(next, null), refused -> {});
  }

  /**
   * What to do with a group.
   *
   * @param bridge runs instead if the group is one of the newer protocol
   */
  private record StepPlan(Step step, @Nullable Runnable bridge) {}

  /** A step, and what follows when its records are durable. */
  private final class StepTask implements ShardTask<GroupShard> {
    private final ShardRuntime<GroupShard> runtime;
    private final String groupId;
    private final StepPlan plan;
    private final Consumer<WireError> refused;
    private final GroupEffects out = new GroupEffects();
    private boolean isDecided;

    StepTask(
        ShardRuntime<GroupShard> runtime,
        String groupId,
        StepPlan plan,
        Consumer<WireError> refused) {
      this.runtime = runtime;
      this.groupId = groupId;
      this.plan = plan;
      this.refused = refused;
    }

    @Override
    public ShardDecision decide(GroupShard shard) {
      Runnable bridge = plan.bridge();
      if (bridge != null && shard.consumers().current(groupId) != null) {
        return ShardDecision.answer(bridge);
      }
      isDecided = true;
      plan.step().run(shard, shard.now(), out);
      LiveGroup live = shard.live(groupId);
      if (live != null) {
        live.unsettledWrites += out.writes().size();
      }
      settle(shard, groupId);
      List<NewRecord> records =
          out.writes().stream().map(write -> GroupCodec.group(groupId, write.record())).toList();
      return ShardDecision.write(records, () -> finish(runtime, groupId, out, WireError.NONE));
    }

    @Override
    public void refused(WireError error) {
      if (isDecided) {
        finish(runtime, groupId, out, error);
      } else {
        refused.accept(error);
      }
    }
  }

  private record LookTask<T>(
      Function<GroupShard, T> look, Consumer<T> answer, Consumer<WireError> whenRefused)
      implements ShardTask<GroupShard> {
    @Override
    public ShardDecision decide(GroupShard shard) {
      T seen = look.apply(shard);
      return ShardDecision.answer(() -> answer.accept(seen));
    }

    @Override
    public void refused(WireError error) {
      whenRefused.accept(error);
    }
  }
}
