package io.fencepost.streams;

import io.fencepost.streams.main.JobRunner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/**
 * A read-process-write job: source topics, operators, sink topics. What one transaction of it
 * covers is said by {@link #guarantee}.
 *
 * <pre>{@code
 * Job job = Job.named("payment-dedup").deadLetters("payments.dead");
 * job.from("payments", Serdes.String(), paymentSerde)
 *     .deduplicate("seen", Duration.ofDays(30))
 *     .to("charges", Serdes.String(), paymentSerde);
 * JobHandle handle = job.start(JobConfig.of(Map.of("bootstrap.servers", "localhost:9092")));
 * }</pre>
 *
 * <p>Define it on one thread; a started job does not look at later changes. One definition may be
 * started several times (each start is an instance of its own). Operator names count per verb and
 * only appear in {@link #describe} and messages; names of topics and stores are the user's.
 */
public final class Job {
  private final String name;
  private final List<PlanNode.Source> sources = new ArrayList<>();
  private final List<PlanNode> nodes = new ArrayList<>();
  private final Map<String, Integer> verbs = new LinkedHashMap<>();
  private @Nullable String deadLetterTopic;

  private Job(String name) {
    this.name = Names.checked("job", name);
  }

  /**
   * The name is the application.id (and so consumer group and prefix of topics) unless configured.
   */
  public static Job named(String name) {
    return new Job(name);
  }

  /** Reads one topic. Each topic may be read once; use the flow several times instead. */
  public <K, V> Flow<K, V> from(String topic, Serde<K> keySerde, Serde<V> valueSerde) {
    return from(List.of(topic), keySerde, valueSerde);
  }

  /** Reads several topics of equal types as one flow. */
  public <K, V> Flow<K, V> from(List<String> topics, Serde<K> keySerde, Serde<V> valueSerde) {
    for (String topic : topics) {
      if (sourceTopics().contains(topic)) {
        throw new IllegalArgumentException(
            "topic " + topic + " is read already; use that flow twice");
      }
    }
    PlanNode.Source source = new PlanNode.Source(nodeName("from"), topics, keySerde, valueSerde);
    return new Flow<>(this, add(source), 0, keySerde);
  }

  /**
   * Reads every topic whose whole name matches, also those that are created while the job runs
   * (found within metadata.max.age.ms). Left out are topics that are read by name elsewhere, the
   * job's changelogs and its dead-letter topic; a topic that it publishes to is read if it matches.
   * A job reads at most one pattern.
   */
  public <K, V> Flow<K, V> from(Pattern topics, Serde<K> keySerde, Serde<V> valueSerde) {
    for (PlanNode.Source source : sources) {
      if (source.pattern() != null) {
        throw new IllegalArgumentException(
            "the job reads the pattern " + source.pattern() + " already; join the two by |");
      }
    }
    PlanNode.Source source = new PlanNode.Source(nodeName("from"), topics, keySerde, valueSerde);
    return new Flow<>(this, add(source), 0, keySerde);
  }

  /** Reads a topic as a table: the latest value of each key; see {@link Flow#toTable}. */
  public <K, V> Table<K, V> table(
      String topic, String store, Serde<K> keySerde, Serde<V> valueSerde) {
    return from(topic, keySerde, valueSerde).toTable(store, valueSerde);
  }

  /**
   * Where input goes that cannot be read or makes the user's code throw, with headers that say why,
   * in the transaction that also moves past it. Without it such an input stops the job. It must not
   * be a topic that the job reads by name.
   */
  public Job deadLetters(String topic) {
    this.deadLetterTopic = topic;
    return this;
  }

  public String name() {
    return name;
  }

  public @Nullable String deadLetterTopic() {
    return deadLetterTopic;
  }

  public List<PlanNode.Source> sources() {
    return sources;
  }

  /** All operators in the order of definition. */
  public List<PlanNode> nodes() {
    return nodes;
  }

  /** The user's topics that it reads by name. */
  public List<String> sourceTopics() {
    return sources.stream().flatMap(source -> source.topics().stream()).toList();
  }

  public List<String> sinkTopics() {
    TreeSet<String> topics = new TreeSet<>();
    for (PlanNode node : nodes) {
      if (node instanceof PlanNode.Sink sink) {
        topics.add(sink.topic());
      }
    }
    return List.copyOf(topics);
  }

  /**
   * Every store once, in the order of definition: the order is the numbering of tables in a task.
   */
  public List<StoreSpec<?, ?>> stores() {
    Map<String, StoreSpec<?, ?>> stores = new LinkedHashMap<>();
    for (PlanNode node : nodes) {
      for (StoreSpec<?, ?> store : node.stores()) {
        StoreSpec<?, ?> before = stores.put(store.name(), store);
        if (before != null && before != store) {
          throw new IllegalStateException(
              "two stores are named "
                  + store.name()
                  + "; share one StoreSpec or choose another name");
        }
      }
    }
    return List.copyOf(stores.values());
  }

  /** The topology as text. */
  public String describe() {
    return JobText.describe(this);
  }

  /**
   * The topology as a Mermaid flowchart: topics, operators, stores, repartition topics and the way
   * of dead letters.
   */
  public String describeAsMermaid() {
    return JobChart.of(this);
  }

  /** What this job guarantees with that configuration, and what not, for people to read. */
  public String guarantee(JobConfig config) {
    return JobText.guarantee(this, config);
  }

  /**
   * Checks the topics and starts the workers.
   *
   * @throws JobStartException if the job cannot run like this; the message says what to change
   */
  public JobHandle start(JobConfig config) {
    return JobRunner.start(this, config);
  }

  /** As {@link #start(JobConfig)}. */
  public JobHandle start(String... keysAndValues) {
    Map<String, String> settings = new LinkedHashMap<>();
    if (keysAndValues.length % 2 != 0) {
      throw new IllegalArgumentException(
          "keys and values alternate: " + Arrays.toString(keysAndValues));
    }
    for (int i = 0; i < keysAndValues.length; i += 2) {
      settings.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return start(JobConfig.of(settings));
  }

  PlanNode add(PlanNode next, PlanNode from, int output) {
    from.next(output).add(next);
    if (!nodes.contains(next)) {
      nodes.add(next);
    }
    return next;
  }

  /** Calls in parallel are started for many inputs before the first of them has its effects. */
  void requireStatelessBefore(PlanNode last) {
    for (PlanNode node : nodes) {
      boolean isOrdered =
          !node.stores().isEmpty()
              || node instanceof PlanNode.Parallel
              || node instanceof PlanNode.Outside
              || (node instanceof PlanNode.Processing own && !own.isStateless());
      if (isOrdered && leadsTo(node, last)) {
        throw new IllegalStateException(
            "mapValuesInParallel after "
                + node.name()
                + ": it may only follow operators without state (map, filter, flatMap, branch,"
                + " merge, peek), as it runs for many inputs at once. Put it first, or behind"
                + " keyBy(...)");
      }
    }
  }

  private static boolean leadsTo(PlanNode from, PlanNode to) {
    if (from.equals(to)) {
      return true;
    }
    for (int output = 0; output < from.outputCount(); output++) {
      if (from.next(output).stream().anyMatch(next -> leadsTo(next, to))) {
        return true;
      }
    }
    return false;
  }

  PlanNode.Source add(PlanNode.Source source) {
    sources.add(source);
    nodes.add(source);
    return source;
  }

  /** A node and all that leads to it. */
  Set<PlanNode> upstream(PlanNode node) {
    Set<PlanNode> found = new LinkedHashSet<>(List.of(node));
    int before = 0;
    while (found.size() > before) {
      before = found.size();
      for (PlanNode candidate : nodes) {
        for (int output = 0; output < candidate.outputCount(); output++) {
          if (candidate.next(output).stream().anyMatch(found::contains)) {
            found.add(candidate);
          }
        }
      }
    }
    return found;
  }

  void requireOwn(String verb, Flow<?, ?> other) {
    if (other.job() != this) {
      throw new IllegalArgumentException(
          verb
              + " of job "
              + name
              + " with job "
              + other.job().name()
              + ": both sides must belong to one job; publish one of them and read it here");
    }
  }

  /** Names that the user chose must differ: stores and topics carry them. */
  String uniqueName(String chosen) {
    for (PlanNode node : nodes) {
      if (node.name().equals(chosen)) {
        throw new IllegalArgumentException(
            "two operators are named " + chosen + "; choose another name");
      }
    }
    return Names.checked("operator", chosen);
  }

  String nodeName(String verb) {
    int count = verbs.merge(verb, 1, Integer::sum);
    return count == 1 ? verb : verb + "-" + count;
  }
}
