package io.fencepost.txn.api;

import io.fencepost.broker.api.ApiRouter;
import io.fencepost.broker.cluster.Feature;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.core.CoreExtension;
import io.fencepost.broker.core.CoreServices;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.coordinator.LocalMarkers;
import io.fencepost.txn.coordinator.TxnCoordinator;
import io.fencepost.txn.ids.ProducerIds;
import io.fencepost.txn.shard.GateLogs;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.table.Tables;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The transaction coordinator as a part of a broker: wires it to the broker's services. */
public final class TransactionExtension implements CoreExtension {
  private static final String SCAN_KEY =
      "transaction.abort.timed.out.transaction.cleanup.interval.ms";
  private static final String EXPIRY_KEY =
      "transaction.remove.expired.transaction.cleanup.interval.ms";

  /** InitProducerId v6 is KIP-939, which is not served. */
  private static final int INIT_PRODUCER_ID_HIGHEST = 5;

  private final Supplier<Tables> tables;
  private final Consumer<String> notices;
  private volatile @Nullable TxnCoordinator coordinator;

  /**
   * @param tables opened when the first transactional id is used
   * @param notices what an operator should read
   */
  public TransactionExtension(Supplier<Tables> tables, Consumer<String> notices) {
    this.tables = tables;
    this.notices = notices;
  }

  @Override
  public void install(CoreServices services, ApiRouter.Builder routes) {
    LocalMarkers markers = new LocalMarkers(services.cluster(), services.replicas());
    TxnCoordinator.Parts parts =
        new TxnCoordinator.Parts(
            new GateLogs(services.cluster(), services.replicas()),
            tables,
            markers,
            new ProducerIds(services.disk()),
            new ShardRuntime.Environment(
                services.clock(), services.scheduler(), notices, services.meters()));
    TxnCoordinator made = new TxnCoordinator(parts, settings(services.config()));
    coordinator = made;
    routes
        .serve(ApiKey.FIND_COORDINATOR, new FindCoordinator(services.cluster()))
        .serve(ApiKey.INIT_PRODUCER_ID, 0, INIT_PRODUCER_ID_HIGHEST, new InitProducerId(made))
        .serve(ApiKey.ADD_PARTITIONS_TO_TXN, new AddPartitionsToTxn(made, services.cluster()))
        .serve(ApiKey.ADD_OFFSETS_TO_TXN, new AddOffsetsToTxn(made, services.cluster()))
        .serve(ApiKey.END_TXN, new EndTxn(made))
        .serve(ApiKey.WRITE_TXN_MARKERS, new WriteTxnMarkers(markers))
        .serve(ApiKey.DESCRIBE_TRANSACTIONS, new DescribeTransactions(made))
        .serve(ApiKey.LIST_TRANSACTIONS, new ListTransactions(made));
  }

  /** Null before the installation. */
  public @Nullable TxnCoordinator coordinator() {
    return coordinator;
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
    TxnCoordinator installed = coordinator;
    if (installed != null) {
      installed.start();
    }
  }

  @Override
  public void stop() {
    TxnCoordinator installed = coordinator;
    if (installed != null) {
      installed.stop();
    }
  }

  /** Can be handed on before the installation; answers from then on. */
  @Override
  public TransactionGate transactionGate() {
    return new TransactionGate() {
      @Override
      public void admit(
          AdmitRequest request, Consumer<SortedMap<TopicPartition, WireError>> answer) {
        TxnCoordinator installed = coordinator;
        if (installed != null) {
          installed.admit(request, answer);
          return;
        }
        TreeMap<TopicPartition, WireError> refusals = new TreeMap<>();
        request
            .partitions()
            .forEach(partition -> refusals.put(partition, WireError.COORDINATOR_NOT_AVAILABLE));
        answer.accept(refusals);
      }

      @Override
      public void refused(String why) {
        TxnCoordinator installed = coordinator;
        if (installed != null) {
          installed.refused(why);
        }
      }
    };
  }

  /** Levels 0 and 1 make clients announce partitions; it is they who look at the level. */
  @Override
  public List<Feature> features() {
    return List.of(new Feature("transaction.version", 0, 2));
  }
}
