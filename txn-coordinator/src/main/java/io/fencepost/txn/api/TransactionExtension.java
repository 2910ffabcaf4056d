package io.fencepost.txn.api;

import io.fencepost.broker.api.ApiRouter;
import io.fencepost.broker.cluster.Feature;
import io.fencepost.broker.cluster.TopicListener;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.core.CoreExtension;
import io.fencepost.broker.core.CoreServices;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.coordinator.ClusterMarkers;
import io.fencepost.txn.coordinator.LocalMarkers;
import io.fencepost.txn.coordinator.LocalTransactions;
import io.fencepost.txn.coordinator.RoutedTransactions;
import io.fencepost.txn.coordinator.TxnCoordinator;
import io.fencepost.txn.ids.ProducerIds;
import io.fencepost.txn.shard.GateLogs;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.table.Tables;
import io.fencepost.txn.txn.IdSource;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The transaction coordinator as a part of a broker: wires it to the broker's services, and follows
 * the roles of its internal partitions.
 */
public final class TransactionExtension implements CoreExtension, TopicListener {
  private static final String SCAN_KEY =
      "transaction.abort.timed.out.transaction.cleanup.interval.ms";
  private static final String EXPIRY_KEY =
      "transaction.remove.expired.transaction.cleanup.interval.ms";

  /** InitProducerId v6 is KIP-939, which is not served. */
  private static final int INIT_PRODUCER_ID_HIGHEST = 5;

  private final Supplier<Tables> tables;
  private final @Nullable IdSource ids;
  private final Consumer<String> notices;
  private volatile @Nullable Running running;

  /** What exists from the installation on. */
  private record Running(
      TxnCoordinator coordinator, TransactionGate local, TransactionGate routed) {}

  /**
   * For a broker that is alone: producer ids come from its own disk.
   *
   * @param tables opened when the first transactional id is used
   * @param notices what an operator should read
   */
  public TransactionExtension(Supplier<Tables> tables, Consumer<String> notices) {
    this(tables, null, notices);
  }

  /**
   * The same for a broker of a cluster.
   *
   * @param ids the one source of producer ids of all its brokers; null for this broker's own
   */
  public TransactionExtension(
      Supplier<Tables> tables, @Nullable IdSource ids, Consumer<String> notices) {
    this.tables = tables;
    this.ids = ids;
    this.notices = notices;
  }

  @Override
  public void install(CoreServices services, ApiRouter.Builder routes) {
    LocalMarkers local = new LocalMarkers(services.cluster(), services.replicas());
    TxnCoordinator.Parts parts =
        new TxnCoordinator.Parts(
            new GateLogs(services.cluster(), services.replicas()),
            tables,
            new ClusterMarkers(services.brokerId(), services.cluster(), local, services.peers()),
            ids == null ? new ProducerIds(services.disk()) : ids,
            new ShardRuntime.Environment(
                services.clock(),
                services.scheduler(),
                notices,
                services.meters(),
                services.steps()));
    TxnCoordinator made = new TxnCoordinator(parts, settings(services.config()));
    TransactionGate admission = new LocalTransactions(made, services.cluster());
    running =
        new Running(
            made,
            admission,
            new RoutedTransactions(
                services.brokerId(), services.cluster(), admission, services.peers()));
    services.cluster().addListener(this);
    routes
        .serve(ApiKey.FIND_COORDINATOR, new FindCoordinator(services.cluster()))
        .serve(ApiKey.INIT_PRODUCER_ID, 0, INIT_PRODUCER_ID_HIGHEST, new InitProducerId(made))
        .serve(ApiKey.ADD_PARTITIONS_TO_TXN, new AddPartitionsToTxn(made, services.cluster()))
        .serve(ApiKey.ADD_OFFSETS_TO_TXN, new AddOffsetsToTxn(made, services.cluster()))
        .serve(ApiKey.END_TXN, new EndTxn(made))
        .serve(ApiKey.WRITE_TXN_MARKERS, new WriteTxnMarkers(local))
        .serve(ApiKey.DESCRIBE_TRANSACTIONS, new DescribeTransactions(made))
        .serve(ApiKey.LIST_TRANSACTIONS, new ListTransactions(made));
  }

  /** Null before the installation. */
  public @Nullable TxnCoordinator coordinator() {
    Running installed = running;
    return installed == null ? null : installed.coordinator();
  }

  /** Looks at the roles later: the caller holds the controller's lock. */
  @Override
  public void onTopic(@Nullable TopicState before, @Nullable TopicState after) {
    Running installed = running;
    if (installed != null && after != null && after.name().equals(TxnCoordinator.TOPIC)) {
      installed.coordinator().shards().refreshSoon();
    }
  }

  private static TxnCoordinator.Settings settings(BrokerConfig config) {
    return new TxnCoordinator.Settings(
        config.intOf("transaction.max.timeout.ms"),
        config.intOf(SCAN_KEY),
        config.intOf("transactional.id.expiration.ms"),
        config.intOf(EXPIRY_KEY));
  }

  @Override
  public void start() {
    Running installed = running;
    if (installed != null) {
      installed.coordinator().start();
    }
  }

  @Override
  public void stop() {
    Running installed = running;
    if (installed != null) {
      installed.coordinator().stop();
    }
  }

  /**
   * Asks the coordinator of the transactional id, wherever it is. Can be handed on before the
   * installation; lets nobody in until then.
   */
  @Override
  public TransactionGate transactionGate() {
    return new LateGate(Running::routed);
  }

  /**
   * Asks this broker's coordinator alone, which answers NOT_COORDINATOR if another broker's is
   * responsible: what the other brokers of a cluster call.
   */
  @Override
  public TransactionGate localGate() {
    return new LateGate(Running::local);
  }

  private final class LateGate implements TransactionGate {
    private final Function<Running, TransactionGate> choice;

    LateGate(Function<Running, TransactionGate> choice) {
      this.choice = choice;
    }

    @Override
    public void admit(AdmitRequest request, Consumer<SortedMap<TopicPartition, WireError>> answer) {
      Running installed = running;
      if (installed == null) {
        answer.accept(
            RoutedTransactions.all(request.partitions(), WireError.COORDINATOR_NOT_AVAILABLE));
      } else {
        choice.apply(installed).admit(request, answer);
      }
    }

    @Override
    public void refused(String why) {
      Running installed = running;
      if (installed != null) {
        installed.coordinator().refused(why);
      }
    }
  }

  /** Levels 0 and 1 make clients announce partitions; it is they who look at the level. */
  @Override
  public List<Feature> features() {
    return List.of(new Feature("transaction.version", 0, 2));
  }
}
