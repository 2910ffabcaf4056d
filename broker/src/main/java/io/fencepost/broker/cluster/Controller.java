package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The only one who changes the cluster's metadata. A command is decided by rules, made durable,
 * shown to all listeners in order, and then answered.
 *
 * <p>Thread-safe: commands run one at a time under this object's lock, which is taken before those
 * of partitions and never after; {@link #state} takes none.
 */
public final class Controller implements ClusterView {
  private static final ConfigEdit NAMELESS =
      ConfigEdit.refused(
          WireError.INVALID_REQUEST, "Groups have settings one by one, and the name is empty");

  private final BrokerConfig config;
  private final Entropy entropy;
  private final ClusterJournal journal;
  private final TopicRules rules;
  private final List<TopicListener> listeners = new ArrayList<>();

  /** Topics that changed while the disk kept a listener from following. */
  private final TreeSet<String> behind = new TreeSet<>();

  private volatile ClusterState state;
  private volatile BrokerSettings settings;

  private Controller(
      BrokerConfig config, Entropy entropy, ClusterJournal journal, ClusterState state) {
    this.config = config;
    this.entropy = entropy;
    this.journal = journal;
    this.rules = new TopicRules(config);
    this.state = state;
    this.settings = BrokerSettings.of(state, config);
  }

  /** Reads what the directory knows of the cluster. The broker itself is registered later. */
  public static Controller open(Disk disk, Entropy entropy, BrokerConfig config, String clusterId) {
    ClusterJournal journal = new ClusterJournal(disk);
    ClusterState state = journal.recover(ClusterState.empty(clusterId, config.brokerId()));
    return new Controller(config, entropy, journal, state);
  }

  @Override
  public ClusterState state() {
    return state;
  }

  /** The settings of this broker as they are now. */
  public BrokerSettings settings() {
    return settings;
  }

  /** Adds a broker, or says where it listens now. Not remembered over a restart. */
  public synchronized void register(BrokerNode broker) {
    state = state.withBroker(broker);
  }

  /** Tells the listener of every topic, and of all changes from now on. */
  public synchronized void addListener(TopicListener listener) {
    state.topics().values().forEach(topic -> listener.onTopic(null, topic));
    listeners.add(listener);
  }

  public synchronized TopicResult createTopic(NewTopic wanted) {
    if (TopicNames.isReserved(wanted.name()) && state.topic(wanted.name()) == null) {
      return TopicResult.refused(
          wanted.name(),
          WireError.INVALID_REQUEST,
          "The topic " + wanted.name() + " belongs to the broker, which creates it when needed");
    }
    return persisted(rules.create(state, wanted, freshId()));
  }

  /** What createTopic would answer now. */
  public TopicResult validateTopic(NewTopic wanted) {
    return rules.create(state, wanted, Uuid.ZERO);
  }

  public synchronized TopicResult deleteTopic(String name) {
    TopicState topic = state.topic(name);
    if (topic == null) {
      return TopicResult.refused(
          name, WireError.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic '" + name + "'");
    }
    if (topic.internal()) {
      return TopicResult.refused(
          name, WireError.INVALID_REQUEST, "The topic " + name + " belongs to the broker");
    }
    ClusterState next = state.withoutTopic(topic);
    return commit(next, JournalLine.gone(topic), topic, null);
  }

  public synchronized TopicResult createPartitions(
      String name, int count, @Nullable List<List<Integer>> assignments) {
    return persisted(rules.grow(state, name, count, assignments));
  }

  /** What createPartitions would answer now. */
  public TopicResult validatePartitions(
      String name, int count, @Nullable List<List<Integer>> assignments) {
    return rules.grow(state, name, count, assignments);
  }

  public synchronized TopicResult alterConfigs(String name, List<ConfigChange> changes) {
    return persisted(
        configured(name, topic -> ConfigRules.change(topic, changes, settings.inForce())));
  }

  /** What alterConfigs would answer now. */
  public TopicResult validateConfigs(String name, List<ConfigChange> changes) {
    return configured(name, topic -> ConfigRules.change(topic, changes, settings.inForce()));
  }

  public synchronized TopicResult replaceConfigs(String name, SortedMap<String, String> configs) {
    return persisted(configured(name, topic -> ConfigRules.replaced(topic, configs)));
  }

  /** What replaceConfigs would answer now. */
  public TopicResult validateReplacement(String name, SortedMap<String, String> configs) {
    return configured(name, topic -> ConfigRules.replaced(topic, configs));
  }

  /**
   * Changes settings of a running broker, or with an empty name of all brokers. In force for every
   * partition when it returns.
   */
  public synchronized TopicResult alterBroker(String broker, List<ConfigChange> changes) {
    return adopt(
        broker,
        brokerEdit(broker, present -> BrokerConfigRules.change(present, changes, settings)));
  }

  /** What alterBroker would answer now. */
  public TopicResult validateBroker(String broker, List<ConfigChange> changes) {
    return answer(
        broker,
        brokerEdit(broker, present -> BrokerConfigRules.change(present, changes, settings)));
  }

  /** Replaces all settings that were changed while the broker ran. */
  public synchronized TopicResult replaceBroker(String broker, SortedMap<String, String> configs) {
    return adopt(broker, brokerEdit(broker, present -> BrokerConfigRules.replaced(configs)));
  }

  /** What replaceBroker would answer now. */
  public TopicResult validateBrokerReplacement(String broker, SortedMap<String, String> configs) {
    return answer(broker, brokerEdit(broker, present -> BrokerConfigRules.replaced(configs)));
  }

  private ConfigEdit brokerEdit(
      String broker, Function<SortedMap<String, String>, ConfigEdit> rule) {
    ClusterState now = state;
    boolean known =
        broker.isEmpty()
            || now.brokers().keySet().stream().anyMatch(id -> String.valueOf(id).equals(broker));
    return known
        ? rule.apply(now.brokerConfigs().getOrDefault(broker, new TreeMap<>()))
        : ConfigEdit.refused(
            WireError.INVALID_REQUEST,
            "There is no broker " + broker + ", only " + now.brokers().keySet());
  }

  private static TopicResult answer(String name, ConfigEdit edit) {
    return new TopicResult(name, edit.error(), edit.message(), null);
  }

  private TopicResult adopt(String broker, ConfigEdit edit) {
    ClusterState next = state.withBrokerConfigs(broker, edit.configs());
    TopicResult result = adopt(broker, edit, next, JournalLine.ofBroker(broker, edit.configs()));
    if (result.error() == WireError.NONE) {
      settings = BrokerSettings.of(next, config);
      behind.addAll(next.topics().keySet());
      repair();
    }
    return result;
  }

  private TopicResult adopt(String name, ConfigEdit edit, ClusterState next, String line) {
    if (edit.error() != WireError.NONE) {
      return answer(name, edit);
    }
    try {
      journal.append(next, List.of(line));
    } catch (DiskException broken) {
      return TopicResult.refused(
          name,
          WireError.KAFKA_STORAGE_ERROR,
          "The disk refused the change of settings: " + broken.getMessage());
    }
    state = next;
    return answer(name, edit);
  }

  /** Changes a group's own settings, whether there is such a group or not. */
  public synchronized TopicResult alterGroup(String group, List<ConfigChange> changes) {
    return adoptGroup(group, groupEdit(group, changes));
  }

  /** What alterGroup would answer now. */
  public TopicResult validateGroup(String group, List<ConfigChange> changes) {
    return answer(group, groupEdit(group, changes));
  }

  /** Replaces a group's own settings. */
  public synchronized TopicResult replaceGroup(String group, SortedMap<String, String> configs) {
    return adoptGroup(group, groupEdit(group, configs));
  }

  /** What replaceGroup would answer now. */
  public TopicResult validateGroupReplacement(String group, SortedMap<String, String> configs) {
    return answer(group, groupEdit(group, configs));
  }

  private ConfigEdit groupEdit(String group, List<ConfigChange> changes) {
    SortedMap<String, String> present = state.groupConfigs().getOrDefault(group, new TreeMap<>());
    return group.isEmpty()
        ? NAMELESS
        : GroupConfigRules.change(present, changes, settings.inForce());
  }

  private ConfigEdit groupEdit(String group, SortedMap<String, String> configs) {
    return group.isEmpty() ? NAMELESS : GroupConfigRules.replaced(configs, settings.inForce());
  }

  private TopicResult adoptGroup(String group, ConfigEdit edit) {
    return adopt(
        group,
        edit,
        state.withGroupConfigs(group, edit.configs()),
        JournalLine.ofGroup(group, edit.configs()));
  }

  /** Creates one of the broker's own topics unless it exists; answers before or after returning. */
  public void ensureInternalTopic(String name, Consumer<WireError> done) {
    done.accept(ensureInternal(name).error());
  }

  private synchronized TopicResult ensureInternal(String name) {
    TopicState present = state.topic(name);
    if (present != null) {
      return TopicResult.done(present);
    }
    boolean offsets = name.equals(TopicNames.OFFSETS);
    String prefix = offsets ? "offsets.topic." : "transaction.state.log.";
    TreeMap<String, @Nullable String> configs = new TreeMap<>();
    configs.put("cleanup.policy", "compact");
    String segmentBytes = config.text(prefix + "segment.bytes");
    boolean small = Long.parseLong(segmentBytes.trim()) < 1 << 20;
    configs.put(small ? "internal.segment.bytes" : "segment.bytes", segmentBytes);
    if (!offsets) {
      configs.put("min.insync.replicas", config.text("transaction.state.log.min.isr"));
    }
    int replicas = config.intOf(prefix + "replication.factor");
    NewTopic wanted =
        new NewTopic(
            name,
            config.intOf(prefix + "num.partitions"),
            Math.min(replicas, state.brokers().size()),
            new TreeMap<>(),
            configs);
    return persisted(rules.create(state, wanted, freshId()));
  }

  /** Lets listeners follow where the disk refused it before; call it every few seconds. */
  public synchronized void repair() {
    for (String name : List.copyOf(behind)) {
      TopicState topic = state.topic(name);
      try {
        if (topic != null) {
          for (TopicListener listener : listeners) {
            listener.onTopic(topic, topic);
          }
        }
        behind.remove(name);
      } catch (DiskException stillRefused) {
        // The next call tries again.
        return;
      }
    }
  }

  /** Closes the journal; later commands fail. */
  public synchronized void close() {
    try {
      journal.close(state);
    } catch (DiskException full) {
      // All of it is on disk already, in a longer form.
      return;
    }
  }

  private TopicResult configured(String name, Function<TopicState, TopicResult> rule) {
    String problem = TopicNames.problem(name);
    if (problem != null) {
      return TopicResult.refused(name, WireError.INVALID_TOPIC_EXCEPTION, problem);
    }
    TopicState topic = state.topic(name);
    return topic == null
        ? TopicResult.refused(
            name, WireError.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic '" + name + "'")
        : rule.apply(topic);
  }

  private TopicResult persisted(TopicResult result) {
    TopicState topic = result.topic();
    if (topic == null) {
      return result;
    }
    TopicState before = state.topic(topic.name());
    return commit(state.withTopics(List.of(topic)), JournalLine.of(topic), before, topic);
  }

  private TopicResult commit(
      ClusterState next, String line, @Nullable TopicState before, @Nullable TopicState after) {
    TopicState subject = after != null ? after : before;
    String name = subject == null ? "" : subject.name();
    try {
      journal.append(next, List.of(line));
      state = next;
      behind.add(name);
      for (TopicListener listener : listeners) {
        listener.onTopic(before, after);
      }
      behind.remove(name);
    } catch (DiskException broken) {
      return TopicResult.refused(
          name,
          WireError.KAFKA_STORAGE_ERROR,
          "The disk refused the change of topic " + name + ": " + broken.getMessage());
    }
    return new TopicResult(name, WireError.NONE, null, subject);
  }

  private Uuid freshId() {
    while (true) {
      Uuid id = new Uuid(entropy.nextLong(), entropy.nextLong());
      // Kafka keeps ids 0 and 1 for itself, and its tools choke on ids that begin with a dash.
      boolean reserved = id.high() == 0 && (id.low() == 0 || id.low() == 1);
      if (!reserved && !id.toString().startsWith("-") && state.topic(id) == null) {
        return id;
      }
    }
  }
}
