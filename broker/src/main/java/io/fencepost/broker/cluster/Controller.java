package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The only one who changes the cluster's metadata. A command is decided by rules, made durable,
 * shown to all brokers that are not cut off ({@link BrokerMetadata}), and then answered.
 *
 * <p>Thread-safe: commands run one at a time under this object's lock, which is taken before those
 * of partitions and never after; {@link #state} takes none.
 */
public final class Controller {
  private final Disk disk;
  private final BrokerConfig config;
  private final Entropy entropy;
  private final TopicRules rules;
  private final Views views = new Views();
  private final Commits commits;
  private final Members members;
  private final Leaders leaders;
  private final SettingCommands settings;

  private @Nullable Features features;

  private Controller(
      Disk disk,
      BrokerConfig config,
      Entropy entropy,
      ClusterJournal journal,
      ClusterState state,
      Restart restart,
      Consumer<String> notices) {
    boolean isAlone = state.members().size() == 1;
    this.disk = disk;
    this.config = config;
    this.entropy = entropy;
    this.rules = new TopicRules(config);
    this.commits = new Commits(config, journal, state, isAlone, views, restart);
    this.members = new Members(commits, views, restart, notices);
    this.leaders = new Leaders(commits, views);
    this.settings = new SettingCommands(commits, views);
  }

  /** Of a broker that is alone. Reads what its directory knows. */
  public static Controller open(Disk disk, Entropy entropy, BrokerConfig config, String clusterId) {
    return open(disk, entropy, config, clusterId, List.of(config.brokerId()), notice -> {});
  }

  /**
   * Reads what the directory knows of the cluster. Its brokers are taken for alive until they are
   * fenced, and register when they start. With several brokers nobody leads the topics that are
   * there until all that are alive have registered: then those lead whose logs have most.
   *
   * @param config settings of what no broker decides for itself: counts and settings of topics that
   *     do not say them
   * @param brokers ids of all brokers of the cluster
   * @param notices hears where committed records may be missing
   */
  public static Controller open(
      Disk disk,
      Entropy entropy,
      BrokerConfig config,
      String clusterId,
      Collection<Integer> brokers,
      Consumer<String> notices) {
    boolean isAlone = brokers.size() == 1;
    ClusterJournal journal = new ClusterJournal(disk);
    int first = brokers.stream().min(Integer::compare).orElse(config.brokerId());
    ClusterState state =
        journal.recover(
            ClusterState.empty(clusterId, first), isAlone ? List::copyOf : Restart::unled);
    Restart restart = new Restart(isAlone ? List.of() : state.topics().values());
    for (int broker : brokers) {
      BrokerNode unknown = new BrokerNode(broker, "", 0, null);
      state = state.withMember(new Member(unknown, 0, Member.Status.ALIVE));
    }
    return new Controller(disk, config, entropy, journal, state, restart, notices);
  }

  /** The newest state of all. */
  public ClusterState state() {
    return commits.state();
  }

  /** The settings of what no broker decides for itself. */
  public BrokerSettings settings() {
    return commits.settings();
  }

  /**
   * The features of all brokers, which are one program. Throws {@link DiskException} if what was
   * changed earlier is damaged.
   *
   * @param supported by the broker that asks; only those of the first one count
   */
  public synchronized Features features(Collection<Feature> supported) {
    Features known = features;
    if (known == null) {
      known = Features.open(disk, supported);
      features = known;
    }
    return known;
  }

  // Brokers

  /**
   * What a broker that starts knows from now on; an earlier one of the same id is not told anything
   * any more. While the broker is cut off, that is nothing.
   */
  public synchronized BrokerMetadata attach(BrokerConfig atStart) {
    return members.attach(this, atStart);
  }

  /** Whoever has the view is told nothing and not heard any more: its broker stops or died. */
  public synchronized void detach(BrokerMetadata view) {
    views.detach(view);
  }

  /** Cuts the way between the broker and this controller, in both directions. */
  public synchronized void disconnect(int broker) {
    members.disconnect(broker);
  }

  /** Heals the way. The broker catches up, and is alive again if it was fenced meanwhile. */
  public synchronized void connect(int broker) {
    members.connect(broker);
  }

  /** The same of a broker that has no replicas. */
  public long register(BrokerNode broker) {
    return register(broker, Collections.emptySortedMap());
  }

  /**
   * A broker has started and is found there: partitions without a leader may get one. If it counted
   * as alive already it goes first.
   *
   * @param replicas how far the logs go that it has; if one is damaged, it is not trusted with
   *     being in sync anywhere, unless the whole cluster starts and logs are compared
   * @return its broker epoch, higher than all before; -1 if it is cut off and registers later
   */
  public synchronized long register(
      BrokerNode broker, SortedMap<TopicPartition, ReplicaEnd> replicas) {
    return members.register(new Members.Arrival(broker, replicas));
  }

  /** A broker that was fenced is heard of again. Does nothing for others. */
  public synchronized void unfence(int broker) {
    members.unfence(broker);
  }

  /**
   * A broker was not heard of for too long, or is known to be dead: others lead instead.
   *
   * @param lostRecords whether it lost what it had written without forcing it to its disk
   * @return KAFKA_STORAGE_ERROR if nothing changed because the disk refused it
   */
  public synchronized WireError fence(int broker, boolean lostRecords) {
    return members.depart(broker, Member.Status.FENCED, lostRecords);
  }

  /**
   * A broker is about to stop in order: others lead when this returns, and the broker knows it.
   *
   * @return KAFKA_STORAGE_ERROR if nothing changed because the disk refused it
   */
  public synchronized WireError leave(int broker) {
    return members.depart(broker, Member.Status.STOPPED, false);
  }

  // Leaders and replicas in sync

  /**
   * A leader wants other replicas in sync. Never throws. The caller holds no lock of a partition:
   * its partitions are told before this returns.
   *
   * @param leader the broker that leads all these partitions
   * @return for each wish NONE (it is so, durably) or why not: NOT_CONTROLLER if the leader is cut
   *     off, STALE_BROKER_EPOCH if it was detached, FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH,
   *     INVALID_REQUEST, INVALID_UPDATE_VERSION (the replicas in sync are not those expected),
   *     INELIGIBLE_REPLICA (one is not alive, or was started again), UNKNOWN_TOPIC_ID,
   *     UNKNOWN_TOPIC_OR_PARTITION, KAFKA_STORAGE_ERROR
   */
  public synchronized List<WireError> alterIsr(BrokerMetadata leader, List<IsrChange> changes) {
    return leaders.alterIsr(leader, changes);
  }

  /**
   * Elects leaders.
   *
   * @param wanted null for all partitions; those that need none are left out of the answer then
   */
  public synchronized SortedMap<TopicPartition, WireError> electLeaders(
      @Nullable Collection<TopicPartition> wanted, ElectionType type) {
    return leaders.elect(wanted, type);
  }

  /**
   * Lets this replica lead.
   *
   * @return ELECTION_NOT_NEEDED if it does, PREFERRED_LEADER_NOT_AVAILABLE if it is not in sync or
   *     not alive, UNKNOWN_TOPIC_OR_PARTITION, KAFKA_STORAGE_ERROR
   */
  public synchronized WireError moveLeader(TopicPartition partition, int broker) {
    return leaders.move(partition, broker);
  }

  /** Gives leadership back to the first replicas, where they are in sync. */
  public synchronized void balance() {
    leaders.elect(null, ElectionType.PREFERRED);
  }

  /** Elects what the disk refused before; call it every few seconds. */
  public synchronized void repair() {
    members.repair();
  }

  // Topics

  public synchronized TopicResult createTopic(NewTopic wanted) {
    if (TopicNames.isReserved(wanted.name()) && state().topic(wanted.name()) == null) {
      return TopicResult.refused(
          wanted.name(),
          WireError.INVALID_REQUEST,
          "The topic " + wanted.name() + " belongs to the broker, which creates it when needed");
    }
    return persisted(rules.create(state(), wanted, TopicIds.fresh(entropy, state())));
  }

  /** What createTopic would answer now. */
  public TopicResult validateTopic(NewTopic wanted) {
    return rules.create(state(), wanted, Uuid.ZERO);
  }

  public synchronized TopicResult deleteTopic(String name) {
    TopicState topic = state().topic(name);
    if (topic == null) {
      return unknown(name);
    }
    if (topic.internal()) {
      return TopicResult.refused(
          name, WireError.INVALID_REQUEST, "The topic " + name + " belongs to the broker");
    }
    return commit(state().withoutTopic(topic), List.of(JournalLine.gone(topic.id())), topic);
  }

  public synchronized TopicResult createPartitions(
      String name, int count, @Nullable List<List<Integer>> assignments) {
    return persisted(rules.grow(state(), name, count, assignments));
  }

  /** What createPartitions would answer now. */
  public TopicResult validatePartitions(
      String name, int count, @Nullable List<List<Integer>> assignments) {
    return rules.grow(state(), name, count, assignments);
  }

  /** Creates one of the broker's own topics unless it exists; answers before or after returning. */
  void ensureInternalTopic(String name, Consumer<WireError> done) {
    done.accept(ensureInternal(name).error());
  }

  private synchronized TopicResult ensureInternal(String name) {
    TopicState present = state().topic(name);
    if (present != null) {
      return TopicResult.done(present);
    }
    NewTopic wanted = InternalTopics.wanted(name, config, state().members().size());
    return persisted(rules.create(state(), wanted, TopicIds.fresh(entropy, state())));
  }

  // Settings

  public synchronized TopicResult alterConfigs(String name, List<ConfigChange> changes) {
    return persisted(validateConfigs(name, changes));
  }

  /** What alterConfigs would answer now. */
  public TopicResult validateConfigs(String name, List<ConfigChange> changes) {
    return configured(name, topic -> ConfigRules.change(topic, changes, settings().inForce()));
  }

  public synchronized TopicResult replaceConfigs(String name, SortedMap<String, String> configs) {
    return persisted(validateReplacement(name, configs));
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
    return settings.adoptBroker(broker, settings.broker(broker, changes));
  }

  /** What alterBroker would answer now. */
  public synchronized TopicResult validateBroker(String broker, List<ConfigChange> changes) {
    return SettingCommands.answer(broker, settings.broker(broker, changes));
  }

  /** Replaces all settings that were changed while the broker ran. */
  public synchronized TopicResult replaceBroker(String broker, SortedMap<String, String> configs) {
    return settings.adoptBroker(broker, settings.broker(broker, configs));
  }

  /** What replaceBroker would answer now. */
  public TopicResult validateBrokerReplacement(String broker, SortedMap<String, String> configs) {
    return SettingCommands.answer(broker, settings.broker(broker, configs));
  }

  /** Changes a group's own settings, whether there is such a group or not. */
  public synchronized TopicResult alterGroup(String group, List<ConfigChange> changes) {
    return settings.adoptGroup(group, settings.group(group, changes));
  }

  /** What alterGroup would answer now. */
  public TopicResult validateGroup(String group, List<ConfigChange> changes) {
    return SettingCommands.answer(group, settings.group(group, changes));
  }

  /** Replaces a group's own settings. */
  public synchronized TopicResult replaceGroup(String group, SortedMap<String, String> configs) {
    return settings.adoptGroup(group, settings.group(group, configs));
  }

  /** What replaceGroup would answer now. */
  public TopicResult validateGroupReplacement(String group, SortedMap<String, String> configs) {
    return SettingCommands.answer(group, settings.group(group, configs));
  }

  private TopicResult configured(String name, Function<TopicState, TopicResult> rule) {
    String problem = TopicNames.problem(name);
    if (problem != null) {
      return TopicResult.refused(name, WireError.INVALID_TOPIC_EXCEPTION, problem);
    }
    TopicState topic = state().topic(name);
    return topic == null ? unknown(name) : rule.apply(topic);
  }

  private static TopicResult unknown(String name) {
    return TopicResult.refused(
        name, WireError.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic '" + name + "'");
  }

  /** The topic as the result has it; where other settings allow a leader it gets one. */
  private TopicResult persisted(TopicResult result) {
    TopicState topic = result.topic();
    if (topic == null) {
      return result;
    }
    ClusterState next = state().withTopics(List.of(topic));
    List<TopicState> elected = commits.edits(next).applyTo(topic, Elections::reviewed).topics();
    TopicState after = elected.isEmpty() ? topic : elected.get(0);
    return commit(next.withTopics(elected), commits.lines(List.of(after)), after);
  }

  private TopicResult commit(ClusterState next, List<String> lines, TopicState subject) {
    String name = subject.name();
    DiskException broken;
    try {
      broken = commits.write(next, lines);
    } catch (DiskException refused) {
      broken = refused;
    }
    return broken == null
        ? new TopicResult(name, WireError.NONE, null, subject)
        : TopicResult.refused(
            name,
            WireError.KAFKA_STORAGE_ERROR,
            "The disk refused the change of topic " + name + ": " + broken.getMessage());
  }

  /** Closes the journal; later commands fail. */
  public synchronized void close() {
    commits.close();
  }
}
