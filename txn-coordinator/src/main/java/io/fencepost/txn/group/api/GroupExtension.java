package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiRouter;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.Feature;
import io.fencepost.broker.cluster.TopicListener;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.core.CoreExtension;
import io.fencepost.broker.core.CoreServices;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.txn.group.ClassicBridge;
import io.fencepost.txn.group.ConsumerGroups;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.GroupLimits;
import io.fencepost.txn.group.GroupShard;
import io.fencepost.txn.group.OffsetCommits;
import io.fencepost.txn.group.OffsetRemovals;
import io.fencepost.txn.group.StagedCommits;
import io.fencepost.txn.shard.GateLogs;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.Shards;
import io.fencepost.txn.table.Tables;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Consumer groups and offsets as a part of a broker: serves their APIs, lets offsets go with their
 * topics and by age. Made by the server, driven by the broker's core.
 */
public final class GroupExtension implements CoreExtension, TopicListener {
  /** The topic that holds groups and offsets. */
  public static final String OFFSETS_TOPIC = "__consumer_offsets";

  private static final long MS_PER_MINUTE = 60_000;

  private final Supplier<Tables> tables;
  private final Supplier<@Nullable TransactionGate> gate;
  private final Consumer<String> notices;

  private volatile @Nullable Running running;

  /** What exists between install and stop. */
  private record Running(
      CoreServices services,
      GroupCoordinator groups,
      ConsumerGroups consumers,
      OffsetRemovals removals) {}

  private Scheduler.@Nullable Timer sweep;

  /**
   * @param tables opened when first needed
   * @param gate asked before offsets are staged; there once the coordinator of transactions is
   *     installed
   * @param notices what an operator should know, for the log
   */
  public GroupExtension(
      Supplier<Tables> tables, Supplier<@Nullable TransactionGate> gate, Consumer<String> notices) {
    this.tables = tables;
    this.gate = gate;
    this.notices = notices;
  }

  @Override
  public void install(CoreServices services, ApiRouter.Builder routes) {
    BrokerConfig config = services.config();
    GroupLimits limits =
        new GroupLimits(
            config.intOf("group.initial.rebalance.delay.ms"),
            config.intOf("group.min.session.timeout.ms"),
            config.intOf("group.max.session.timeout.ms"),
            config.intOf("group.max.size"));
    Scheduler scheduler = services.scheduler();
    Shards<GroupShard> shards =
        new Shards<>(
            OFFSETS_TOPIC,
            new GateLogs(services.cluster(), services.replicas()),
            tables,
            rows -> new GroupShard(rows, limits, services.clock(), scheduler::run),
            new ShardRuntime.Environment(
                services.clock(), scheduler, notices, services.meters(), services.steps()),
            this::onServing);
    GroupCoordinator groups =
        new GroupCoordinator(shards, services.clock(), scheduler, services.entropy());
    ConsumerGroups consumers =
        new ConsumerGroups(
            groups,
            new ConsumerGroups.World(services.cluster(), services.clock(), scheduler),
            ConsumerKeys.of(services.cluster()),
            limits);
    OffsetRemovals removals = new OffsetRemovals(groups);
    Running parts = new Running(services, groups, consumers, removals);
    running = parts;
    serve(routes, parts);
    services.cluster().addListener(this);
  }

  /** Null before the installation. */
  public @Nullable GroupCoordinator coordinator() {
    Running installed = running;
    return installed == null ? null : installed.groups();
  }

  private void serve(ApiRouter.Builder routes, Running parts) {
    GroupCoordinator groups = parts.groups();
    OffsetRemovals removals = parts.removals();
    ClusterView cluster = parts.services().cluster();
    int metadataMaxLength = parts.services().config().intOf("offset.metadata.max.bytes");
    OffsetCommits commits = new OffsetCommits(groups, cluster);
    ClassicBridge bridge = new ClassicBridge(parts.consumers());
    StagedCommits staged = new StagedCommits(groups, commits, gate);
    routes
        .serve(ApiKey.JOIN_GROUP, new JoinGroup(groups, bridge))
        .serve(ApiKey.SYNC_GROUP, new SyncGroup(groups, bridge))
        .serve(ApiKey.HEARTBEAT, new Heartbeat(groups, bridge))
        .serve(ApiKey.LEAVE_GROUP, new LeaveGroup(groups, bridge))
        .serve(ApiKey.CONSUMER_GROUP_HEARTBEAT, new ConsumerGroupHeartbeat(parts.consumers()))
        .serve(ApiKey.CONSUMER_GROUP_DESCRIBE, new ConsumerGroupDescribe(groups, parts.consumers()))
        .serve(ApiKey.DESCRIBE_GROUPS, new DescribeGroups(groups))
        .serve(ApiKey.LIST_GROUPS, new ListGroups(groups))
        .serve(ApiKey.DELETE_GROUPS, new DeleteGroups(removals))
        .serve(ApiKey.OFFSET_DELETE, new OffsetDelete(removals, cluster))
        .serve(ApiKey.OFFSET_FETCH, new OffsetFetch(groups, cluster))
        .serve(ApiKey.OFFSET_COMMIT, new OffsetCommit(commits, cluster, metadataMaxLength))
        .serve(ApiKey.TXN_OFFSET_COMMIT, new TxnOffsetCommit(staged, cluster, metadataMaxLength));
  }

  private void onServing(ShardRuntime<GroupShard> runtime) {
    Running parts = running;
    if (parts != null) {
      parts.groups().onServing(runtime);
      parts.consumers().onServing(runtime);
    }
  }

  @Override
  public void start() {
    Running parts = running;
    if (parts == null) {
      throw new IllegalStateException("start before install");
    }
    parts.groups().refresh();
    scheduleSweep(parts);
  }

  private void scheduleSweep(Running parts) {
    BrokerConfig config = parts.services().config();
    long retentionMs = config.intOf("offsets.retention.minutes") * MS_PER_MINUTE;
    sweep =
        parts
            .services()
            .scheduler()
            .after(
                config.longOf("offsets.retention.check.interval.ms"),
                () -> {
                  if (running != null) {
                    parts
                        .groups()
                        .shards()
                        .forEach(runtime -> parts.removals().expire(runtime, retentionMs));
                    scheduleSweep(parts);
                  }
                });
  }

  /** The work is done later: the caller holds the controller's lock. */
  @Override
  public void onTopic(@Nullable TopicState before, @Nullable TopicState after) {
    Running parts = running;
    if (parts != null && after != null && after.name().equals(OFFSETS_TOPIC)) {
      parts.groups().refreshSoon();
    }
    boolean isGone = before != null && (after == null || !after.id().equals(before.id()));
    if (parts == null || before == null || !isGone || before.internal()) {
      return;
    }
    SortedMap<Integer, Long> positions = new TreeMap<>();
    for (ShardRuntime<GroupShard> runtime : parts.groups().serving()) {
      positions.put(runtime.topicPartition().partition(), runtime.appliedOffset());
    }
    parts.services().scheduler().run(() -> dropOffsets(parts, before.name(), positions));
  }

  private static void dropOffsets(Running parts, String topic, SortedMap<Integer, Long> positions) {
    for (ShardRuntime<GroupShard> runtime : parts.groups().shards()) {
      Long position = positions.get(runtime.topicPartition().partition());
      if (position != null) {
        parts.removals().dropTopic(runtime, topic, 0, position);
      }
    }
  }

  @Override
  public void stop() {
    Running parts = running;
    running = null;
    if (sweep != null) {
      sweep.cancel();
    }
    if (parts != null) {
      parts.groups().close();
    }
  }

  @Override
  public @Nullable TransactionGate transactionGate() {
    return null;
  }

  @Override
  public List<Feature> features() {
    return List.of(Feature.fixed("group.version", 1));
  }
}
