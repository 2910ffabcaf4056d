package io.fencepost.broker.cluster;

import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The brokers that hear of changes, and who is cut off. Called under the controller's lock. */
final class Views {
  private final List<BrokerMetadata> attached = new ArrayList<>();
  private final TreeSet<Integer> cutOff = new TreeSet<>();
  private boolean isPublishing;

  /** Instead of an earlier one of the same broker. */
  void attach(BrokerMetadata view) {
    BrokerMetadata former = find(view.brokerId());
    if (former != null) {
      detach(former);
    }
    attached.add(view);
  }

  void detach(BrokerMetadata view) {
    attached.remove(view);
    view.cutOff(view.state().controllerId());
  }

  @Nullable BrokerMetadata find(int broker) {
    return attached.stream().filter(view -> view.brokerId() == broker).findFirst().orElse(null);
  }

  boolean isCutOff(int broker) {
    return cutOff.contains(broker);
  }

  /** NONE if what comes from that broker counts. */
  WireError whyUnheard(BrokerMetadata view) {
    if (!attached.contains(view)) {
      return WireError.STALE_BROKER_EPOCH;
    }
    return isCutOff(view.brokerId()) ? WireError.NOT_CONTROLLER : WireError.NONE;
  }

  void disconnect(int broker) {
    cutOff.add(broker);
  }

  void connect(int broker) {
    cutOff.remove(broker);
  }

  /** The broker that clients send commands to: the first that is alive and not cut off. */
  int speaker(ClusterState state) {
    return state.brokers().keySet().stream()
        .filter(broker -> !isCutOff(broker))
        .findFirst()
        .orElse(state.controllerId());
  }

  /** Those of the named broker, if it runs; else those given. */
  BrokerSettings settingsOf(String broker, BrokerSettings others) {
    return attached.stream()
        .filter(view -> String.valueOf(view.brokerId()).equals(broker))
        .map(BrokerMetadata::settings)
        .findFirst()
        .orElse(others);
  }

  /**
   * Shows all brokers that are not cut off the newest state. A listener that brings about another
   * change is answered before that is shown.
   *
   * @return what the disk refused, if no broker could follow; null otherwise
   */
  @Nullable DiskException publish(Supplier<ClusterState> newest) {
    if (isPublishing) {
      return null;
    }
    isPublishing = true;
    try {
      DiskException refused = null;
      boolean isFollowed = false;
      ClusterState shown;
      do {
        shown = newest.get();
        for (BrokerMetadata view : List.copyOf(attached)) {
          DiskException failure = isCutOff(view.brokerId()) ? null : view.follow(shown);
          refused = refused != null ? refused : failure;
          isFollowed |= failure == null && !isCutOff(view.brokerId());
        }
      } while (shown != newest.get());
      return isFollowed ? null : refused;
    } finally {
      isPublishing = false;
    }
  }
}
