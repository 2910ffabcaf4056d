package io.fencepost.testkit.junit;

import io.fencepost.streams.Job;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.main.ShortTimes;
import io.fencepost.testkit.prove.Candidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a job on given input while a plan breaks what it meets (requests on the wire, its own steps,
 * and the brokers of this JVM), and checks that its committed output is what a function makes of
 * the input, each record once.
 *
 * <pre>{@code
 * assertExactlyOnce(job)
 *     .from("payments", "a", "b", "c")
 *     .to("charges", values -> values)
 *     .under(FaultPlan.at(ApiKey.END_TXN).occurrence(2).answerLost());
 * }</pre>
 *
 * <p>Nothing runs before {@code under}, which also takes no plan at all.
 *
 * <p>Checked are P1 and P4 (the output of each topic, as a multiset), P2 (when all is done, the
 * committed offsets are the ends of the input), P3 (committed offsets never went back), V1, V2 and
 * V5 (a reader that followed the output got what stands there, all of it and in order), L1 and L6
 * (what was written stays), E1 (no transaction is left open), E3 and E4 (the input is read, and the
 * job stops when it is told to) and S1 (everything planned was done, else the run proves nothing).
 * The job commits about ten times, so that there is something to break. Not thread-safe.
 *
 * <p>{@code kill job} is the hardest stop that there is in one process: all connections of the
 * instance are cut, and it does no further step; what static variables hold survives it. A real
 * kill -9 or SIGSTOP does {@code fencepost prove}.
 */
public final class ExactlyOnce {
  private static final Logger LOG = LoggerFactory.getLogger(ExactlyOnce.class);
  static final String PLAN_PROPERTY = "fencepost.plan";

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int PARTITIONS = 2;
  private static final int BROKERS_TO_BREAK = 3;
  private static final Set<String> NOT_SHORT =
      Set.of(
          "transaction.timeout.ms",
          "consumer.session.timeout.ms",
          "consumer.heartbeat.interval.ms");

  private final Job job;
  private final List<TopicContent> inputs = new ArrayList<>();
  private final List<TopicContent> outputs = new ArrayList<>();
  private final List<Made> made = new ArrayList<>();
  private final Map<String, String> settings = new LinkedHashMap<>();
  private @Nullable TestCluster cluster;
  private int brokers;
  private int partitions = PARTITIONS;
  private Duration patience = PATIENCE;

  ExactlyOnce(Job job) {
    this.job = job;
  }

  /**
   * On this cluster, whose topics of that input and output must be empty. Without it each plan gets
   * a cluster of its own.
   */
  public ExactlyOnce on(TestCluster cluster) {
    this.cluster = cluster;
    return this;
  }

  /**
   * How many brokers a cluster of its own has. Without this 1, and 3 under a plan that breaks
   * brokers.
   */
  public ExactlyOnce brokers(int count) {
    this.brokers = count;
    return this;
  }

  /** How many partitions the topics get that are created; 2 without this. */
  public ExactlyOnce partitions(int count) {
    this.partitions = count;
    return this;
  }

  /** A setting of the job. */
  public ExactlyOnce with(String key, Object value) {
    settings.put(key, String.valueOf(value));
    return this;
  }

  /** How long the job may take for its input; one minute without this. */
  public ExactlyOnce within(Duration patience) {
    this.patience = patience;
    return this;
  }

  /** Input of one topic, in this order; by keys, or in turn, over its partitions. */
  public <K, V> From<K, V> from(
      String topic, Serde<K> keys, Serde<V> values, List<KeyValue<K, V>> records) {
    TopicContent input = content(topic, keys, values, records);
    inputs.add(input);
    return new From<>(this, input, records);
  }

  /** The same as texts without keys. */
  public From<String, String> from(String topic, String... values) {
    List<KeyValue<String, String>> records = new ArrayList<>();
    for (String value : values) {
      records.add(new KeyValue<>(null, value));
    }
    return from(topic, Serdes.String(), Serdes.String(), records);
  }

  private static <K, V> TopicContent content(
      String topic, Serde<K> keys, Serde<V> values, List<KeyValue<K, V>> records) {
    List<KeyValue<byte[], byte[]>> bytes = new ArrayList<>();
    for (KeyValue<K, V> record : records) {
      bytes.add(
          new KeyValue<>(
              record.key() == null ? null : keys.serializer().serialize(topic, record.key()),
              record.value() == null
                  ? null
                  : values.serializer().serialize(topic, record.value())));
    }
    return new TopicContent(
        topic,
        bytes,
        key -> String.valueOf(keys.deserializer().deserialize(topic, key)),
        value -> String.valueOf(values.deserializer().deserialize(topic, value)));
  }

  /**
   * Input that was given, and what is made of it.
   *
   * @param <K> key type
   * @param <V> value type
   */
  public static final class From<K, V> {
    private final ExactlyOnce whole;
    private final TopicContent content;
    private final List<KeyValue<K, V>> input;

    private From(ExactlyOnce whole, TopicContent content, List<KeyValue<K, V>> input) {
      this.whole = whole;
      this.content = content;
      this.input = List.copyOf(input);
    }

    /**
     * What is to stand in a topic in the end, in any order; the function gets this input, and then
     * each of its records alone: if that comes to the same, it is known what is made of what.
     */
    public <K2, V2> From<K, V> to(
        String topic,
        Serde<K2> keys,
        Serde<V2> values,
        Function<List<KeyValue<K, V>>, List<KeyValue<K2, V2>>> made) {
      TopicContent output = content(topic, keys, values, made.apply(input));
      whole.outputs.add(output);
      List<List<KeyValue<byte[], byte[]>>> each = new ArrayList<>();
      try {
        for (KeyValue<K, V> record : input) {
          each.add(content(topic, keys, values, made.apply(List.of(record))).records());
        }
        whole.made.add(new Made(content, output, each));
      } catch (RuntimeException e) {
        LOG.debug("what {} holds is not made of single records", topic, e);
      }
      return this;
    }

    /** The same for texts without keys. */
    public From<K, V> to(String topic, Function<List<V>, List<String>> made) {
      return to(
          topic,
          Serdes.String(),
          Serdes.String(),
          records -> {
            List<KeyValue<String, String>> texts = new ArrayList<>();
            for (String text : made.apply(records.stream().map(KeyValue::value).toList())) {
              texts.add(new KeyValue<>(null, text));
            }
            return texts;
          });
    }

    /** Another topic's input. */
    public <K2, V2> From<K2, V2> from(
        String topic, Serde<K2> keys, Serde<V2> values, List<KeyValue<K2, V2>> records) {
      return whole.from(topic, keys, values, records);
    }

    /** As {@link ExactlyOnce#under}. */
    public List<ExactlyOnceReport> under(FaultPlan... plans) {
      return whole.under(plans);
    }
  }

  /**
   * Runs the job once under each plan, or once without faults if there is none. The system property
   * {@code fencepost.plan} replaces the plans: it is the line to run a failure again.
   *
   * @return what was done in each run
   * @throws AssertionError if it is not exactly once; the message names the files that are kept:
   *     the history, the plan, and a page to look at
   */
  public List<ExactlyOnceReport> under(FaultPlan... plans) {
    List<FaultPlan> all = plans.length == 0 ? List.of(FaultPlan.NONE) : List.of(plans);
    String again = System.getProperty(PLAN_PROPERTY, "");
    if (!again.isEmpty()) {
      all = List.of(FaultPlan.parse(again));
    }
    if (outputs.isEmpty()) {
      throw new IllegalStateException(
          "nothing is expected of job " + job.name() + ": say it with from(...).to(...)");
    }
    requireTopicsOfJob();
    if (cluster != null && all.size() > 1) {
      throw new IllegalStateException(
          "on(cluster) goes with one plan, as the next one would find the output of the first;"
              + " leave it out, and each plan gets a cluster of its own");
    }
    requireNewEnoughClients();
    List<ExactlyOnceReport> reports = new ArrayList<>();
    for (FaultPlan plan : all) {
      reports.add(runUnder(plan));
    }
    return reports;
  }

  /**
   * What cannot be brought about or broken is a mistake of the test, and says nothing of the job.
   */
  private void requireTopicsOfJob() {
    if (inputs.stream().allMatch(input -> input.records().isEmpty())) {
      throw new IllegalStateException("job %s is given no records".formatted(job.name()));
    }
    for (TopicContent input : inputs) {
      if (!job.sourceTopics().contains(input.topic())) {
        throw new IllegalStateException(
            "job %s does not read %s; it reads %s"
                .formatted(job.name(), input.topic(), job.sourceTopics()));
      }
    }
    for (TopicContent output : outputs) {
      boolean isOfJob =
          job.sinkTopics().contains(output.topic())
              || output.topic().equals(job.deadLetterTopic())
              || output.topic().startsWith(job.name() + "-");
      if (!isOfJob && output.records().isEmpty()) {
        throw new IllegalStateException(
            "job %s does not write %s, so that nothing stands there shows nothing; it writes %s"
                .formatted(job.name(), output.topic(), job.sinkTopics()));
      }
    }
  }

  /** Jobs use more of the clients than the rest of this package. */
  private static void requireNewEnoughClients() {
    try {
      DescribeTopicsResult.class.getMethod("allTopicNames");
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(
          "jobs need kafka-clients 3.9 or newer, and an older one is on the class path: "
              + DescribeTopicsResult.class.getProtectionDomain().getCodeSource().getLocation(),
          e);
    }
  }

  private ExactlyOnceReport runUnder(FaultPlan plan) {
    boolean isBreakingBrokers = new Candidate(plan).needsCluster();
    int count = brokers > 0 ? brokers : isBreakingBrokers ? BROKERS_TO_BREAK : 1;
    TestCluster own = null;
    if (cluster == null) {
      PossiblePlan.require(plan, count);
      own = TestCluster.start(count, settings(count, isBreakingBrokers));
    } else {
      PossiblePlan.require(plan, cluster);
    }
    try {
      TestCluster at = own == null ? Objects.requireNonNull(cluster) : own;
      return new ExactlyOnceRun(
              job,
              at,
              plan,
              new ExactlyOnceRun.Wanted(
                  inputs, outputs, made, jobSettings(own != null), partitions, patience))
          .report();
    } finally {
      if (own != null) {
        own.close();
      }
    }
  }

  private static SortedMap<String, String> settings(int brokers, boolean isBreakingBrokers) {
    TreeMap<String, String> settings = new TreeMap<>(ShortTimes.ofBrokers());
    if (brokers >= BROKERS_TO_BREAK) {
      settings.putAll(ShortTimes.ofCluster());
    }
    if (isBreakingBrokers) {
      settings.put("flush", "group"); // else no log is forced while clients wait
    }
    return settings;
  }

  /** Of another cluster nobody knows what it can do in so short a time. */
  private Map<String, String> jobSettings(boolean isOwn) {
    Map<String, String> all = new LinkedHashMap<>(isOwn ? ShortTimes.ofJob() : Map.of());
    // A user's work may take its time, and a successor with the same ids need not wait for these.
    all.keySet().removeAll(NOT_SHORT);
    all.putAll(settings);
    return all;
  }
}
