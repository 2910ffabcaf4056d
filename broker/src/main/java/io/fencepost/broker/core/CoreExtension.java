package io.fencepost.broker.core;

import io.fencepost.broker.api.ApiRouter;
import io.fencepost.broker.cluster.Feature;
import io.fencepost.broker.replica.TransactionGate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part that lives inside a broker: a coordinator. Called by {@link BrokerCore}, in this order:
 * install once (the partitions known so far are open, nothing is served yet), start once before the
 * first request, stop once after the last.
 */
public interface CoreExtension {
  void install(CoreServices services, ApiRouter.Builder routes);

  void start();

  void stop();

  /** Who is asked before a transactional append; null if this part has no opinion. */
  @Nullable TransactionGate transactionGate();

  /** The same for the other brokers of the cluster: it passes no question on. */
  default @Nullable TransactionGate localGate() {
    return null;
  }

  /** What this part adds to the broker's features, for example transaction.version. */
  List<Feature> features();
}
