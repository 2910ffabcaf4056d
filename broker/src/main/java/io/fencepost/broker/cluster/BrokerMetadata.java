package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as one of its brokers knows it: what the controller told it last, which is old news
 * while it is cut off. Its listeners follow every change before the command is answered; what the
 * disk keeps one of them from is made up for by {@link #repair}.
 *
 * <p>Thread-safe. Changes come under the controller's lock, which is taken before those of
 * partitions and never after; reading takes none.
 */
public final class BrokerMetadata implements ClusterView {
  private final Controller controller;
  private final BrokerConfig atStart;
  private final List<TopicListener> listeners = new ArrayList<>();

  /** Topics that changed while the disk kept a listener from following. */
  private final TreeSet<String> behind = new TreeSet<>();

  private volatile ClusterState state;
  private volatile BrokerSettings settings;
  private volatile boolean connected;

  BrokerMetadata(
      Controller controller, BrokerConfig atStart, ClusterState state, boolean connected) {
    this.controller = controller;
    this.atStart = atStart;
    this.state = state;
    this.settings = BrokerSettings.of(state, atStart);
    this.connected = connected;
  }

  @Override
  public ClusterState state() {
    return state;
  }

  /** The settings of this broker as they are now. */
  public BrokerSettings settings() {
    return settings;
  }

  public int brokerId() {
    return atStart.brokerId();
  }

  /** The epoch of this broker's registration; 0 before it. */
  public long brokerEpoch() {
    Member own = state.members().get(brokerId());
    return own == null ? 0 : own.epoch();
  }

  /** Whether the controller hears this broker, and the other way round. */
  public boolean isConnected() {
    return connected;
  }

  /** What a command is answered that this broker cannot pass on; null if it can. */
  public @Nullable TopicResult refusal(String name) {
    return connected
        ? null
        : TopicResult.refused(
            name,
            WireError.NOT_CONTROLLER,
            "broker " + brokerId() + " has no connection to the controller; ask another broker");
  }

  /** Creates one of the broker's own topics unless it exists; answers before or after returning. */
  public void ensureInternalTopic(String name, Consumer<WireError> done) {
    TopicResult refusal = refusal(name);
    if (state.topic(name) != null) {
      done.accept(WireError.NONE);
    } else if (refusal != null) {
      done.accept(refusal.error());
    } else {
      controller.ensureInternalTopic(name, done);
    }
  }

  /** Tells the listener of every topic, and of all changes from now on. */
  public void addListener(TopicListener listener) {
    synchronized (controller) {
      state.topics().values().forEach(topic -> listener.onTopic(null, topic));
      listeners.add(listener);
    }
  }

  /** Lets listeners follow where the disk refused it before; call it every few seconds. */
  public void repair() {
    synchronized (controller) {
      for (String name : List.copyOf(behind)) {
        TopicState topic = state.topic(name);
        if (topic != null && tell(topic, topic) != null) {
          // The next call tries again.
          return;
        }
        behind.remove(name);
      }
    }
  }

  /** Called under the controller's lock. */
  void cutOff(int controllerId) {
    connected = false;
    state = state.withControllerId(controllerId);
  }

  /** Called under the controller's lock. */
  @Nullable DiskException reconnect(ClusterState newest) {
    connected = true;
    return follow(newest);
  }

  /**
   * Knows what the controller knows, and tells the listeners what is new; returns what the disk
   * refused. Called under the controller's lock.
   */
  @Nullable DiskException follow(ClusterState newest) {
    ClusterState before = state;
    state = newest;
    settings = BrokerSettings.of(newest, atStart);
    DiskException refused = null;
    for (String name : changed(before, newest)) {
      behind.add(name);
      DiskException failure = tellChange(before.topic(name), newest.topic(name));
      if (failure == null) {
        behind.remove(name);
      }
      refused = refused != null ? refused : failure;
    }
    if (!before.brokerConfigs().equals(newest.brokerConfigs())) {
      behind.addAll(newest.topics().keySet());
      repair();
    }
    return refused;
  }

  private static TreeSet<String> changed(ClusterState before, ClusterState after) {
    TreeSet<String> names = new TreeSet<>();
    for (TopicState topic : before.topics().values()) {
      if (!topic.equals(after.topic(topic.name()))) {
        names.add(topic.name());
      }
    }
    for (TopicState topic : after.topics().values()) {
      if (before.topic(topic.name()) == null) {
        names.add(topic.name());
      }
    }
    return names;
  }

  private @Nullable DiskException tellChange(
      @Nullable TopicState before, @Nullable TopicState after) {
    boolean isAnother = before != null && after != null && !before.id().equals(after.id());
    if (!isAnother) {
      return tell(before, after);
    }
    DiskException refused = tell(before, null);
    DiskException refusedAgain = tell(null, after);
    return refused != null ? refused : refusedAgain;
  }

  private @Nullable DiskException tell(@Nullable TopicState before, @Nullable TopicState after) {
    try {
      for (TopicListener listener : listeners) {
        listener.onTopic(before, after);
      }
      return null;
    } catch (DiskException refused) {
      return refused;
    }
  }
}
