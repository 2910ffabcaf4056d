package io.fencepost.broker.core;

import io.fencepost.broker.api.AdminApis;
import io.fencepost.broker.api.AlterReplicaLogDirs;
import io.fencepost.broker.api.ApiRouter;
import io.fencepost.broker.api.DeleteRecords;
import io.fencepost.broker.api.DescribeLogDirs;
import io.fencepost.broker.api.DescribeProducers;
import io.fencepost.broker.api.Fetch;
import io.fencepost.broker.api.ListOffsets;
import io.fencepost.broker.api.OffsetForLeaderEpoch;
import io.fencepost.broker.api.Produce;
import io.fencepost.broker.api.Telemetry;
import io.fencepost.broker.api.UpdateFeatures;
import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.BrokerNode;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.Feature;
import io.fencepost.broker.cluster.Features;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.FrameService;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.replica.Cleaner;
import io.fencepost.broker.replica.Peer;
import io.fencepost.broker.replica.Peers;
import io.fencepost.broker.replica.ReplicaWorld;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.replica.TopicFollower;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.wire.ApiKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One broker over its ports, with its extensions. The server drives it with sockets and threads,
 * the simulator with a queue.
 *
 * <p>Life: {@link #open} reads the directory; {@link #start} once the address is known; then frames
 * are served from any thread; {@link #stop} after the last frame. A core that is not stopped but
 * dropped is a crash.
 */
public final class BrokerCore {
  private static final long NANOS_PER_MS = 1_000_000;
  private static final long REPAIR_INTERVAL_MS = 5_000;

  /** A server that just came up has more urgent things to do, as in Kafka. */
  private static final long FIRST_RETENTION_MS = 30_000;

  /** As Kafka 4.4 has them: what clients and tools may ask for is served at these levels. */
  private static final List<Feature> OWN_FEATURES =
      List.of(
          Feature.fixed("metadata.version", 33),
          Feature.fixed("eligible.leader.replicas.version", 1));

  private final CoreServices services;
  private final List<CoreExtension> extensions;
  private final ApiRouter router;
  private final @Nullable Cleaner cleaner;
  private final Runnable offer;
  private final Runnable closeController;
  private volatile List<Repeated> upkeep = List.of();

  private BrokerCore(
      CoreServices services,
      List<CoreExtension> extensions,
      ApiRouter router,
      @Nullable Cleaner cleaner,
      Runnable offer,
      Runnable closeController) {
    this.offer = offer;
    this.services = services;
    this.extensions = extensions;
    this.router = router;
    this.cleaner = cleaner;
    this.closeController = closeController;
  }

  /** Opens the directory of a broker that is alone, and lets the extensions join. */
  public static BrokerCore open(
      CorePorts ports, BrokerConfig config, List<CoreExtension> extensions) {
    DirectoryIdentity identity =
        DirectoryIdentity.claim(ports.disk(), ports.entropy().named("identity"), config.brokerId());
    Controller controller =
        Controller.open(
            ports.disk(), ports.entropy().named("controller"), config, identity.clusterId());
    Membership alone = new Membership(controller, Peers.NONE, peer -> {}, identity.clusterId());
    return open(ports, config, extensions, alone, controller::close);
  }

  /**
   * Opens the directory of one of a cluster's brokers, and lets the extensions join. Its controller
   * is closed by whoever opened it, after its brokers have stopped.
   */
  public static BrokerCore open(
      CorePorts ports, BrokerConfig config, List<CoreExtension> extensions, Membership membership) {
    DirectoryIdentity.claim(ports.disk(), config.brokerId(), membership.clusterId());
    return open(ports, config, extensions, membership, () -> {});
  }

  private static BrokerCore open(
      CorePorts ports,
      BrokerConfig config,
      List<CoreExtension> extensions,
      Membership membership,
      Runnable closeController) {
    BrokerMetadata cluster = membership.controller().attach(config);
    Replicas replicas = new Replicas(ports.disk(), world(cluster, ports, membership));
    cluster.addListener(
        new TopicFollower(config.brokerId(), replicas, () -> cluster.settings().inForce()));
    if (cluster.isConnected()) {
      // Who is cut off knows of no topics.
      replicas.clearLeftovers(cluster.state().gone());
    }
    CoreServices services =
        new CoreServices(
            config.brokerId(),
            ports.clock(),
            ports.scheduler(),
            ports.entropy(),
            ports.disk(),
            config,
            cluster,
            membership.controller(),
            replicas,
            membership.peers(),
            ports.meters(),
            ports.steps());
    List<Feature> all = new ArrayList<>(OWN_FEATURES);
    extensions.forEach(extension -> all.addAll(extension.features()));
    Features features = membership.controller().features(all);
    ApiRouter.Builder routes = ApiRouter.builder(features);
    TransactionGate gate = null;
    TransactionGate localGate = null;
    for (CoreExtension extension : extensions) {
      extension.install(services, routes);
      gate = gate != null ? gate : extension.transactionGate();
      localGate = localGate != null ? localGate : extension.localGate();
    }
    serve(routes, services, gate);
    routes.serve(ApiKey.UPDATE_FEATURES, new UpdateFeatures(cluster, features));
    Peer peer = new Peer(replicas, localGate);
    return new BrokerCore(
        services,
        List.copyOf(extensions),
        routes.build(),
        cleaner(services, ports.notices()),
        () -> membership.offer().accept(peer),
        closeController);
  }

  private static ReplicaWorld world(
      BrokerMetadata cluster, CorePorts ports, Membership membership) {
    return new ReplicaWorld(
        cluster.brokerId(),
        cluster::brokerEpoch,
        ports.clock(),
        ports.scheduler(),
        membership.peers(),
        new IsrRequests(cluster, membership.controller(), ports.scheduler()),
        () -> cluster.settings().inForce().longOf("replica.lag.time.max.ms") * NANOS_PER_MS,
        ports.notices(),
        ports.meters(),
        ports.steps());
  }

  private static @Nullable Cleaner cleaner(CoreServices services, Consumer<String> notices) {
    BrokerConfig config = services.config();
    if (!config.flag("log.cleaner.enable")) {
      return null;
    }
    Cleaner.Settings settings =
        new Cleaner.Settings(
            config.longOf("log.cleaner.backoff.ms"),
            config.longOf("log.cleaner.dedupe.buffer.size"));
    return new Cleaner(
        services.replicas(), services.clock(), services.scheduler(), settings, notices);
  }

  private static void serve(
      ApiRouter.Builder routes, CoreServices services, @Nullable TransactionGate gate) {
    Replicas replicas = services.replicas();
    BrokerMetadata cluster = services.cluster();
    BrokerConfig config = services.config();
    routes
        .serve(ApiKey.PRODUCE, new Produce(cluster, replicas, gate))
        .serve(
            ApiKey.FETCH,
            new Fetch(
                cluster,
                replicas,
                services.clock(),
                services.scheduler(),
                services.entropy().named("fetch"),
                config))
        .serve(ApiKey.LIST_OFFSETS, new ListOffsets(cluster, replicas))
        .serve(ApiKey.OFFSET_FOR_LEADER_EPOCH, new OffsetForLeaderEpoch(cluster, replicas))
        .serve(ApiKey.DELETE_RECORDS, new DeleteRecords(cluster, replicas))
        .serve(ApiKey.DESCRIBE_PRODUCERS, new DescribeProducers(cluster, replicas))
        .serve(ApiKey.DESCRIBE_LOG_DIRS, new DescribeLogDirs(replicas, services.disk()))
        .serve(ApiKey.ALTER_REPLICA_LOG_DIRS, new AlterReplicaLogDirs(replicas, services.disk()));
    AdminApis.serve(routes, cluster, services.controller(), config);
    Telemetry.serve(routes, services.entropy().named("telemetry"));
  }

  /** Clients reach this broker there from now on; frames may come. */
  public void start(String host, int port) {
    services
        .controller()
        .register(
            new BrokerNode(services.brokerId(), host, port, services.config().find("broker.rack")),
            services.replicas().ends());
    offer.run();
    extensions.forEach(CoreExtension::start);
    startUpkeep();
    if (cleaner != null) {
      cleaner.start();
    }
  }

  private void startUpkeep() {
    Scheduler scheduler = services.scheduler();
    long retentionMs = services.config().longOf("log.retention.check.interval.ms");
    long expiryMs = services.config().longOf("producer.id.expiration.check.interval.ms");
    Repeated repair = new Repeated(scheduler, REPAIR_INTERVAL_MS, this::repair);
    Repeated retention = new Repeated(scheduler, retentionMs, services.replicas()::applyRetention);
    Repeated expiry = new Repeated(scheduler, expiryMs, services.replicas()::expireProducers);
    long balanceMs = services.config().longOf("leader.imbalance.check.interval.seconds") * 1_000;
    Repeated balance = new Repeated(scheduler, balanceMs, this::balance);
    long lagMs = services.config().longOf("replica.lag.time.max.ms");
    Repeated lag = new Repeated(scheduler, Math.max(1, lagMs / 2), services.replicas()::checkLag);
    upkeep = List.of(repair, retention, expiry, balance, lag);
    lag.start(Math.max(1, lagMs / 2));
    repair.start(REPAIR_INTERVAL_MS);
    retention.start(Math.min(FIRST_RETENTION_MS, retentionMs));
    expiry.start(expiryMs);
    if (services.config().flag("auto.leader.rebalance.enable")
        && services.cluster().state().members().size() > 1) {
      balance.start(balanceMs);
    }
  }

  private void repair() {
    services.cluster().repair();
    services.controller().repair();
    services.replicas().repair();
  }

  /** One broker of the cluster sees to it for all. */
  private void balance() {
    BrokerMetadata cluster = services.cluster();
    if (cluster.isConnected() && cluster.state().controllerId() == cluster.brokerId()) {
      services.controller().balance();
    }
  }

  /** What the network brings requests to. */
  public FrameService frames() {
    return router;
  }

  public CoreServices services() {
    return services;
  }

  /** Refuses what still waits, saves and closes everything. */
  public void stop() {
    end(true);
    closeController.run();
  }

  /**
   * Ends as a process that is killed does, but gives back what it holds of this one: saves nothing.
   * Nobody must be able to hear its last words: sockets, disk and peers are cut off before.
   */
  public void kill() {
    end(false);
  }

  private void end(boolean isClean) {
    upkeep.forEach(Repeated::stop);
    services.controller().detach(services.cluster());
    if (cleaner != null) {
      cleaner.stop();
    }
    extensions.forEach(CoreExtension::stop);
    services.replicas().close(isClean);
  }
}
