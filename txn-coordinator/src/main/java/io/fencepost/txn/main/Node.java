package io.fencepost.txn.main;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.core.CoreExtension;
import io.fencepost.broker.core.Membership;
import io.fencepost.broker.main.BrokerServer;
import io.fencepost.broker.main.BrokerWorld;
import io.fencepost.broker.port.Meters;
import io.fencepost.txn.api.TransactionExtension;
import io.fencepost.txn.group.api.GroupExtension;
import io.fencepost.txn.txn.IdSource;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One broker with its coordinators and their rows, from its start to its end. */
final class Node {
  private static final Logger LOG = LoggerFactory.getLogger(Node.class);

  private final BrokerServer broker;
  private final LazyTables tables;
  private final TransactionExtension transactions;
  private final GroupExtension groups;

  private Node(
      BrokerServer broker,
      LazyTables tables,
      TransactionExtension transactions,
      GroupExtension groups) {
    this.broker = broker;
    this.tables = tables;
    this.transactions = transactions;
    this.groups = groups;
  }

  /**
   * Where a node lives.
   *
   * @param isRowsTemporary whether the coordinators' rows need not outlive this life
   * @param meters hears what the broker does
   */
  record Home(BrokerWorld world, boolean isRowsTemporary, Meters meters) {}

  /**
   * How a node belongs to a cluster.
   *
   * @param ids hands out the producer ids of the whole cluster
   */
  record Place(Membership membership, IdSource ids) {}

  /** The node serves when this returns; a place of null is a broker that is alone. */
  static Node start(BrokerConfig settings, Path directory, Home home, @Nullable Place place) {
    LazyTables tables = new LazyTables(directory, home.isRowsTemporary);
    boolean isStarted = false;
    try {
      Consumer<String> notices = LOG::warn;
      TransactionExtension transactions =
          new TransactionExtension(tables, place == null ? null : place.ids, notices);
      GroupExtension groups = new GroupExtension(tables, transactions::transactionGate, notices);
      List<CoreExtension> extensions = List.of(transactions, groups);
      BrokerServer broker =
          BrokerServer.start(
              settings,
              extensions,
              home.world,
              home.meters,
              place == null ? null : place.membership);
      Thread opener = new Thread(tables::warmUp, "fencepost-state-" + broker.port());
      opener.setDaemon(true);
      opener.start();
      isStarted = true;
      return new Node(broker, tables, transactions, groups);
    } finally {
      if (!isStarted) {
        tables.close();
      }
    }
  }

  BrokerServer broker() {
    return broker;
  }

  ServerView view() {
    return new ServerView(broker.services(), transactions, groups);
  }

  /** Stops serving and saves all state. */
  void stop() {
    broker.close();
    tables.close();
  }

  /** Ends at once, as a process that is killed: nothing more is answered, nothing saved. */
  void kill() {
    broker.kill();
    tables.close();
  }
}
