package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
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
  private final BrokerConfig config;
  private final Entropy entropy;
  private final ClusterJournal journal;
  private final TopicRules rules;
  private final boolean isAlone;
  private final Views views = new Views();

  /** Brokers that registered while they were cut off. */
  private final TreeMap<Integer, BrokerNode> waiting = new TreeMap<>();

  private long lastBrokerEpoch;

  /** Whether leaders could not be elected because the disk refused it. */
  private boolean owesElections;

  private volatile ClusterState state;
  private volatile BrokerSettings settings;

  private Controller(
      BrokerConfig config,
      Entropy entropy,
      ClusterJournal journal,
      ClusterState state,
      boolean isAlone) {
    this.config = config;
    this.entropy = entropy;
    this.journal = journal;
    this.rules = new TopicRules(config);
    this.isAlone = isAlone;
    this.state = state;
    this.settings = settings(state);
  }

  /** Of a broker that is alone. Reads what its directory knows. */
  public static Controller open(Disk disk, Entropy entropy, BrokerConfig config, String clusterId) {
    return open(disk, entropy, config, clusterId, List.of(config.brokerId()));
  }

  /**
   * Reads what the directory knows of the cluster. Its brokers are taken for alive until they are
   * fenced, and register when they start.
   *
   * @param config settings of what no broker decides for itself: counts and settings of topics that
   *     do not say them
   * @param brokers ids of all brokers of the cluster
   */
  public static Controller open(
      Disk disk,
      Entropy entropy,
      BrokerConfig config,
      String clusterId,
      Collection<Integer> brokers) {
    ClusterJournal journal = new ClusterJournal(disk);
    int first = brokers.stream().min(Integer::compare).orElse(config.brokerId());
    ClusterState state = journal.recover(ClusterState.empty(clusterId, first));
    for (int broker : brokers) {
      BrokerNode unknown = new BrokerNode(broker, "", 0, null);
      state = state.withMember(new Member(unknown, 0, Member.Status.ALIVE));
    }
    return new Controller(config, entropy, journal, state, brokers.size() == 1);
  }

  /** The newest state of all. */
  public ClusterState state() {
    return state;
  }

  /** The settings of what no broker decides for itself. */
  public BrokerSettings settings() {
    return settings;
  }

  private BrokerSettings settings(ClusterState of) {
    return isAlone ? BrokerSettings.of(of, config) : BrokerSettings.ofAll(of, config);
  }

  // Brokers

  /**
   * What a broker that starts knows from now on; an earlier one of the same id is not told anything
   * any more. While the broker is cut off, that is nothing.
   */
  public synchronized BrokerMetadata attach(BrokerConfig atStart) {
    int broker = atStart.brokerId();
    boolean isConnected = !views.isCutOff(broker);
    ClusterState known =
        isConnected ? state : ClusterState.empty(state.clusterId(), state.controllerId());
    BrokerMetadata view = new BrokerMetadata(this, atStart, known, isConnected);
    views.attach(view);
    return view;
  }

  /** Whoever has the view is told nothing any more: its broker stops or was killed. */
  public synchronized void detach(BrokerMetadata view) {
    views.detach(view);
  }

  /** Cuts the way between the broker and this controller, in both directions. */
  public synchronized void disconnect(int broker) {
    views.disconnect(broker);
    adopt(state);
    BrokerMetadata view = views.find(broker);
    if (view != null) {
      view.cutOff(state.controllerId());
    }
  }

  /** Heals the way. The broker catches up, and is alive again if it was fenced meanwhile. */
  public synchronized void connect(int broker) {
    views.connect(broker);
    BrokerMetadata view = views.find(broker);
    if (view != null) {
      // What the disk refuses now is repaired later.
      view.reconnect(state);
    }
    BrokerNode registering = waiting.remove(broker);
    if (registering != null) {
      register(registering);
    } else if (view != null) {
      unfence(broker);
    }
    adopt(state);
  }

  /**
   * A broker has started and is found there: partitions without a leader may get one. If it counted
   * as alive it goes first, without having lost anything: the caller fences it before if it did.
   *
   * @return its broker epoch, higher than all before; -1 if it is cut off and registers later
   */
  public synchronized long register(BrokerNode broker) {
    if (views.isCutOff(broker.id())) {
      waiting.put(broker.id(), broker);
      return -1;
    }
    Member former = state.members().get(broker.id());
    if (former != null && former.isAlive() && former.epoch() > 0) {
      fence(broker.id(), false);
    }
    lastBrokerEpoch++;
    admit(new Member(broker, lastBrokerEpoch, Member.Status.ALIVE));
    return lastBrokerEpoch;
  }

  /** A broker that was fenced is heard of again. Does nothing for others. */
  public synchronized void unfence(int broker) {
    Member member = state.members().get(broker);
    if (member != null && member.status() == Member.Status.FENCED && member.epoch() > 0) {
      admit(member.as(Member.Status.ALIVE));
    }
  }

  /** It is alive in any case; if the disk refuses its elections they are owed. */
  private void admit(Member member) {
    ClusterState next = state.withMember(member);
    try {
      commit(next, reviewed(next));
    } catch (DiskException refused) {
      owesElections = true;
      adopt(next);
    }
  }

  /**
   * A broker was not heard of for too long, or is known to be dead: others lead instead.
   *
   * @param lostRecords whether it lost what it had written without forcing it to its disk
   * @return KAFKA_STORAGE_ERROR if nothing changed because the disk refused it
   */
  public synchronized WireError fence(int broker, boolean lostRecords) {
    return depart(broker, Member.Status.FENCED, lostRecords);
  }

  /**
   * A broker is about to stop in order: others lead when this returns, and the broker knows it.
   *
   * @return KAFKA_STORAGE_ERROR if nothing changed because the disk refused it
   */
  public synchronized WireError leave(int broker) {
    return depart(broker, Member.Status.STOPPED, false);
  }

  private WireError depart(int broker, Member.Status status, boolean lostRecords) {
    Member member = state.members().get(broker);
    if (member == null) {
      return WireError.BROKER_ID_NOT_REGISTERED;
    }
    ClusterState next = state.withMember(member.as(status));
    return attempt(
        next,
        edits(next)
            .applyToAll(
                (partition, terms) -> Elections.without(partition, broker, lostRecords, terms))
            .topics());
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
    List<WireError> answers = new ArrayList<>();
    PartitionEdits edits = edits(state);
    WireError unheard = views.whyUnheard(leader);
    for (IsrChange change : changes) {
      answers.add(unheard != WireError.NONE ? unheard : alterIsr(leader.brokerId(), change, edits));
    }
    WireError written = attempt(state, edits.topics());
    if (written != WireError.NONE) {
      answers.replaceAll(answer -> answer == WireError.NONE ? written : answer);
    }
    return answers;
  }

  private WireError alterIsr(int leader, IsrChange change, PartitionEdits edits) {
    TopicState topic = state.topic(change.topicId());
    PartitionState partition = edits.partition(change.partition());
    if (topic == null || !topic.name().equals(change.partition().topic())) {
      return WireError.UNKNOWN_TOPIC_ID;
    }
    if (partition == null) {
      return WireError.UNKNOWN_TOPIC_OR_PARTITION;
    }
    WireError problem = IsrRules.problem(state, leader, partition, change);
    if (problem == WireError.NONE) {
      edits.put(topic, Elections.withIsr(partition, change.wanted(), edits.terms(topic)));
    }
    return problem;
  }

  /**
   * Elects leaders.
   *
   * @param wanted null for all partitions; those that need none are left out of the answer then
   */
  public synchronized SortedMap<TopicPartition, WireError> electLeaders(
      @Nullable Collection<TopicPartition> wanted, ElectionType type) {
    PartitionEdits edits = edits(state);
    SortedMap<TopicPartition, WireError> answers = edits.elect(wanted, type);
    WireError written = attempt(state, edits.topics());
    if (written != WireError.NONE) {
      answers.replaceAll((partition, answer) -> answer == WireError.NONE ? written : answer);
    }
    return answers;
  }

  /**
   * Lets this replica lead.
   *
   * @return ELECTION_NOT_NEEDED if it does, PREFERRED_LEADER_NOT_AVAILABLE if it is not in sync or
   *     not alive, UNKNOWN_TOPIC_OR_PARTITION, KAFKA_STORAGE_ERROR
   */
  public synchronized WireError moveLeader(TopicPartition named, int broker) {
    TopicState topic = state.topic(named.topic());
    PartitionState partition = state.partition(named);
    if (topic == null || partition == null) {
      return WireError.UNKNOWN_TOPIC_OR_PARTITION;
    }
    if (partition.leader() == broker) {
      return WireError.ELECTION_NOT_NEEDED;
    }
    if (!partition.isr().contains(broker) || !state.isAlive(broker)) {
      return WireError.PREFERRED_LEADER_NOT_AVAILABLE;
    }
    PartitionEdits edits = edits(state);
    edits.put(topic, Elections.ledBy(partition, broker));
    return attempt(state, edits.topics());
  }

  /** Gives leadership back to the first replicas, where they are in sync. */
  public void balance() {
    electLeaders(null, ElectionType.PREFERRED);
  }

  /** Elects what the disk refused before; call it every few seconds. */
  public synchronized void repair() {
    if (owesElections && attempt(state, reviewed(state)) == WireError.NONE) {
      owesElections = false;
    }
  }

  private PartitionEdits edits(ClusterState from) {
    return new PartitionEdits(from, settings(from).inForce());
  }

  private List<TopicState> reviewed(ClusterState next) {
    return edits(next).applyToAll(Elections::reviewed).topics();
  }

  // Topics

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
      return unknown(name);
    }
    if (topic.internal()) {
      return TopicResult.refused(
          name, WireError.INVALID_REQUEST, "The topic " + name + " belongs to the broker");
    }
    return commit(state.withoutTopic(topic), JournalLine.gone(topic), topic);
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

  /** Creates one of the broker's own topics unless it exists; answers before or after returning. */
  void ensureInternalTopic(String name, Consumer<WireError> done) {
    done.accept(ensureInternal(name).error());
  }

  private synchronized TopicResult ensureInternal(String name) {
    TopicState present = state.topic(name);
    if (present != null) {
      return TopicResult.done(present);
    }
    NewTopic wanted = InternalTopics.wanted(name, config, state.members().size());
    return persisted(rules.create(state, wanted, freshId()));
  }

  // Settings

  public synchronized TopicResult alterConfigs(String name, List<ConfigChange> changes) {
    return persisted(validateConfigs(name, changes));
  }

  /** What alterConfigs would answer now. */
  public TopicResult validateConfigs(String name, List<ConfigChange> changes) {
    return configured(name, topic -> ConfigRules.change(topic, changes, settings.inForce()));
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
    return adoptBroker(broker, brokerEdit(broker, changes));
  }

  /** What alterBroker would answer now. */
  public synchronized TopicResult validateBroker(String broker, List<ConfigChange> changes) {
    return answer(broker, brokerEdit(broker, changes));
  }

  /** Replaces all settings that were changed while the broker ran. */
  public synchronized TopicResult replaceBroker(String broker, SortedMap<String, String> configs) {
    return adoptBroker(broker, brokerEdit(broker, configs));
  }

  /** What replaceBroker would answer now. */
  public TopicResult validateBrokerReplacement(String broker, SortedMap<String, String> configs) {
    return answer(broker, brokerEdit(broker, configs));
  }

  private ConfigEdit brokerEdit(String broker, List<ConfigChange> changes) {
    BrokerSettings present = views.settingsOf(broker, settings);
    return SettingRules.broker(
        state, broker, own -> BrokerConfigRules.change(own, changes, present));
  }

  private ConfigEdit brokerEdit(String broker, SortedMap<String, String> configs) {
    return SettingRules.broker(state, broker, own -> BrokerConfigRules.replaced(configs));
  }

  private TopicResult adoptBroker(String broker, ConfigEdit edit) {
    ClusterState next = state.withBrokerConfigs(broker, edit.configs());
    return adopt(broker, edit, next, JournalLine.ofBroker(broker, edit.configs()));
  }

  /** Changes a group's own settings, whether there is such a group or not. */
  public synchronized TopicResult alterGroup(String group, List<ConfigChange> changes) {
    return adoptGroup(group, SettingRules.group(state, group, changes, settings.inForce()));
  }

  /** What alterGroup would answer now. */
  public TopicResult validateGroup(String group, List<ConfigChange> changes) {
    return answer(group, SettingRules.group(state, group, changes, settings.inForce()));
  }

  /** Replaces a group's own settings. */
  public synchronized TopicResult replaceGroup(String group, SortedMap<String, String> configs) {
    return adoptGroup(group, SettingRules.group(group, configs, settings.inForce()));
  }

  /** What replaceGroup would answer now. */
  public TopicResult validateGroupReplacement(String group, SortedMap<String, String> configs) {
    return answer(group, SettingRules.group(group, configs, settings.inForce()));
  }

  private TopicResult adoptGroup(String group, ConfigEdit edit) {
    ClusterState next = state.withGroupConfigs(group, edit.configs());
    return adopt(group, edit, next, JournalLine.ofGroup(group, edit.configs()));
  }

  private static TopicResult answer(String name, ConfigEdit edit) {
    return new TopicResult(name, edit.error(), edit.message(), null);
  }

  private TopicResult adopt(String name, ConfigEdit edit, ClusterState next, String line) {
    if (edit.error() != WireError.NONE) {
      return answer(name, edit);
    }
    List<TopicState> elected = name.isEmpty() ? reviewed(next) : List.of();
    List<String> lines = new ArrayList<>(List.of(line));
    lines.addAll(lines(elected));
    try {
      write(next.withTopics(elected), lines);
    } catch (DiskException broken) {
      return TopicResult.refused(
          name,
          WireError.KAFKA_STORAGE_ERROR,
          "The disk refused the change of settings: " + broken.getMessage());
    }
    return answer(name, edit);
  }

  private TopicResult configured(String name, Function<TopicState, TopicResult> rule) {
    String problem = TopicNames.problem(name);
    if (problem != null) {
      return TopicResult.refused(name, WireError.INVALID_TOPIC_EXCEPTION, problem);
    }
    TopicState topic = state.topic(name);
    return topic == null ? unknown(name) : rule.apply(topic);
  }

  private static TopicResult unknown(String name) {
    return TopicResult.refused(
        name, WireError.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic '" + name + "'");
  }

  // Durable, then shown, then answered

  /** The topic as the result has it; where other settings allow a leader it gets one. */
  private TopicResult persisted(TopicResult result) {
    TopicState topic = result.topic();
    if (topic == null) {
      return result;
    }
    ClusterState next = state.withTopics(List.of(topic));
    List<TopicState> elected = edits(next).applyTo(topic, Elections::reviewed).topics();
    TopicState after = elected.isEmpty() ? topic : elected.get(0);
    return commit(next.withTopics(elected), lines(List.of(after)).get(0), after);
  }

  private TopicResult commit(ClusterState next, String line, TopicState subject) {
    DiskException broken;
    try {
      broken = write(next, List.of(line));
    } catch (DiskException refused) {
      broken = refused;
    }
    return broken == null
        ? new TopicResult(subject.name(), WireError.NONE, null, subject)
        : TopicResult.refused(
            subject.name(),
            WireError.KAFKA_STORAGE_ERROR,
            "The disk refused the change of topic " + subject.name() + ": " + broken.getMessage());
  }

  private WireError attempt(ClusterState next, List<TopicState> changed) {
    try {
      commit(next, changed);
      return WireError.NONE;
    } catch (DiskException refused) {
      return WireError.KAFKA_STORAGE_ERROR;
    }
  }

  /** Throws if the journal refuses it, and then nothing has changed. */
  private void commit(ClusterState next, List<TopicState> changed) {
    write(changed.isEmpty() ? next : next.withTopics(changed), lines(changed));
  }

  private List<String> lines(List<TopicState> changed) {
    List<String> lines = new ArrayList<>();
    for (TopicState topic : changed) {
      TopicState before = state.topic(topic.name());
      lines.add(before == null ? JournalLine.of(topic) : JournalLine.change(before, topic));
    }
    return lines;
  }

  /** All changes of state; returns what kept every broker from following. */
  private @Nullable DiskException write(ClusterState next, List<String> lines) {
    if (!lines.isEmpty()) {
      journal.append(next, lines);
    }
    return adopt(next);
  }

  private @Nullable DiskException adopt(ClusterState next) {
    if (next == state && next.controllerId() == views.speaker(next)) {
      return null;
    }
    state = next.withControllerId(views.speaker(next));
    settings = settings(state);
    return views.publish(() -> state);
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
