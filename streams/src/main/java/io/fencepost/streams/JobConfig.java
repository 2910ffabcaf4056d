package io.fencepost.streams;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * A job's settings under Kafka's own key names (those of Kafka Streams where it has one).
 * Immutable, checked at construction: an unknown key is refused and the nearest known one named.
 * Keys of the clients are given plainly (to every client that knows them) or with the prefix {@code
 * consumer.}, {@code producer.}, {@code admin.} or {@code restore.consumer.}.
 */
public final class JobConfig {
  private static final String[] PREFIXES = {
    "restore.consumer.", "consumer.", "producer.", "admin."
  };
  private static final long[] ANY = {Long.MIN_VALUE, Long.MAX_VALUE};

  private static final ConfigDef CONSUMER = ConsumerConfig.configDef();
  private static final ConfigDef PRODUCER = ProducerConfig.configDef();
  private static final ConfigDef ADMIN = AdminClientConfig.configDef();
  private static final SortedMap<String, String> DEFAULTS = defaults();
  private static final SortedMap<String, long[]> LIMITS = limits();
  private static final SortedMap<String, String> RESERVED = reserved();

  private static final String GUARANTEE = "processing.guarantee";
  private static final String EXACTLY_ONCE = "exactly_once_v2";
  private static final String AT_LEAST_ONCE = "at_least_once";

  private final SortedMap<String, String> settings;

  private JobConfig(SortedMap<String, String> settings) {
    this.settings = settings;
  }

  /**
   * Checked settings from a map.
   *
   * @throws IllegalArgumentException naming the key and what to write instead
   */
  public static JobConfig of(Map<String, ?> settings) {
    TreeMap<String, String> checked = new TreeMap<>();
    settings.forEach((key, value) -> checked.put(key, String.valueOf(value)));
    checked.keySet().forEach(JobConfig::checkKey);
    JobConfig config = new JobConfig(checked);
    config.checkValues();
    return config;
  }

  /** As {@link #of(Map)}, from properties with all their defaults. */
  public static JobConfig of(Properties properties) {
    TreeMap<String, String> settings = new TreeMap<>();
    for (String key : properties.stringPropertyNames()) {
      settings.put(key, properties.getProperty(key));
    }
    return of(settings);
  }

  /** The same with one setting more or other. */
  public JobConfig with(String key, Object value) {
    TreeMap<String, Object> copy = new TreeMap<>(settings);
    copy.put(key, value);
    return of(copy);
  }

  public String bootstrapServers() {
    String servers = settings.get("bootstrap.servers");
    if (servers == null) {
      throw new IllegalArgumentException("bootstrap.servers is not set");
    }
    return servers;
  }

  /**
   * processing.guarantee: exactly_once_v2 (default), or at_least_once: no transactions, output may
   * come twice after a failure.
   */
  public boolean isExactlyOnce() {
    return settings.getOrDefault(GUARANTEE, EXACTLY_ONCE).equals(EXACTLY_ONCE);
  }

  /** application.id, else the job's name. */
  public String applicationId(Job job) {
    return applicationId(job.name());
  }

  public String applicationId(String jobName) {
    return settings.getOrDefault("application.id", jobName);
  }

  /** num.stream.threads: how many workers this instance runs. */
  public int workers() {
    return intValue("num.stream.threads");
  }

  /** commit.interval.ms: a transaction ends when it is that old. */
  public long commitIntervalMs() {
    return longValue("commit.interval.ms");
  }

  /** commit.max.records: a transaction ends when it has taken that many input records. */
  public int commitMaxRecords() {
    return intValue("commit.max.records");
  }

  /** commit.max.bytes: a transaction ends when its input and output together are that large. */
  public long commitMaxBytes() {
    return longValue("commit.max.bytes");
  }

  /** state.dir: stores and the leases of instance ids. */
  public @Nullable String stateDir() {
    return settings.get("state.dir");
  }

  /**
   * instance.id: set it where the state directory does not survive a restart; unique per instance.
   */
  public @Nullable String instanceId() {
    return settings.get("instance.id");
  }

  /** replication.factor of changelogs; -1 is the broker's default. */
  public short replicationFactor() {
    return (short) intValue("replication.factor");
  }

  /** poll.ms: how long a worker waits for input. */
  public long pollMs() {
    return longValue("poll.ms");
  }

  /**
   * max.task.idle.ms: how long a task with several inputs waits for one that has nothing, before it
   * goes on with the others. What the broker has of it is waited for in any case (but at -1).
   */
  public long maxTaskIdleMs() {
    return longValue("max.task.idle.ms");
  }

  /** repartition.purge.interval.ms: how often what was read of repartition topics is deleted. */
  public long purgeIntervalMs() {
    return longValue("repartition.purge.interval.ms");
  }

  /** task.timeout.ms: for how long failing work is tried again before the job gives up. */
  public long taskTimeoutMs() {
    return longValue("task.timeout.ms");
  }

  /**
   * rocksdb.memory.bytes: block cache and write buffers of all stores of this instance together.
   */
  public long rocksMemoryBytes() {
    return longValue("rocksdb.memory.bytes");
  }

  /** num.standby.replicas: copies of each task's stores that other instances keep up to date. */
  public int standbys() {
    return intValue("num.standby.replicas");
  }

  /**
   * application.server: HOST:PORT where this instance answers questions about its stores. The job
   * does not listen there itself; it only tells the other instances.
   */
  public @Nullable String applicationServer() {
    return settings.get("application.server");
  }

  public int transactionTimeoutMs() {
    String value = settings.get("producer.transaction.timeout.ms");
    return value != null
        ? parse("producer.transaction.timeout.ms", value).intValue()
        : intValue("transaction.timeout.ms");
  }

  /** max.request.size of the producer: no record of output may be larger. */
  public int maxRequestBytes() {
    Object value = clientSettings("producer").get("max.request.size");
    return value == null ? 1 << 20 : parse("max.request.size", String.valueOf(value)).intValue();
  }

  /** Settings for a client: {@code kind} is consumer, producer, admin or restore.consumer. */
  public SortedMap<String, Object> clientSettings(String kind) {
    Set<String> known = definition(kind).names();
    boolean restores = kind.equals("restore.consumer");
    TreeMap<String, Object> result = new TreeMap<>();
    for (SortedMap<String, String> layer : List.of(DEFAULTS, settings)) {
      putKnown(result, known, layer, "");
      if (restores) {
        putKnown(result, known, layer, "consumer.");
      }
      putKnown(result, known, layer, kind + ".");
    }
    return result;
  }

  private static void putKnown(
      SortedMap<String, Object> result,
      Set<String> known,
      SortedMap<String, String> layer,
      String prefix) {
    layer.forEach(
        (key, value) -> {
          String plain = key.substring(prefixOf(key).length());
          if (prefixOf(key).equals(prefix) && known.contains(plain)) {
            result.put(plain, value);
          }
        });
  }

  private void checkValues() {
    LIMITS.keySet().forEach(this::longValue);
    settings.forEach(JobConfig::checkClientValue);
    if (commitIntervalMs() >= transactionTimeoutMs()) {
      throw new IllegalArgumentException(
          "commit.interval.ms ("
              + commitIntervalMs()
              + ") must be below transaction.timeout.ms ("
              + transactionTimeoutMs()
              + "), else the broker aborts each transaction before it ends");
    }
    String guarantee = settings.getOrDefault(GUARANTEE, EXACTLY_ONCE);
    if (!guarantee.equals(EXACTLY_ONCE) && !guarantee.equals(AT_LEAST_ONCE)) {
      throw new IllegalArgumentException(
          GUARANTEE
              + "="
              + guarantee
              + " is neither "
              + EXACTLY_ONCE
              + " (the default) nor "
              + AT_LEAST_ONCE);
    }
    String server = applicationServer();
    if (server != null && !server.matches("[A-Za-z0-9._:\\[\\]-]{1,200}:[0-9]{1,5}")) {
      throw new IllegalArgumentException("application.server=" + server + " is not HOST:PORT");
    }
    if (stateDir() != null && stateDir().isBlank()) {
      throw new IllegalArgumentException("state.dir is empty; name a directory or leave it out");
    }
    settings.computeIfPresent("instance.id", Names::checked);
    settings.computeIfPresent("application.id", Names::checked);
  }

  private int intValue(String key) {
    return (int) longValue(key);
  }

  private long longValue(String key) {
    String text = settings.getOrDefault(key, DEFAULTS.getOrDefault(key, ""));
    long min = LIMITS.getOrDefault(key, ANY)[0];
    long max = LIMITS.getOrDefault(key, ANY)[1];
    long value = parse(key, text);
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          key + "=" + value + " is outside of " + min + " to " + max);
    }
    return value;
  }

  private static Long parse(String key, String text) {
    try {
      return Long.valueOf(text.trim());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(key + "=" + text + " is not a whole number", e);
    }
  }

  private static void checkKey(String key) {
    String prefix = prefixOf(key);
    String plain = key.substring(prefix.length());
    String owner = RESERVED.get(plain);
    if (owner != null && !DEFAULTS.containsKey(key)) {
      throw new IllegalArgumentException(key + " cannot be set: " + owner);
    }
    SortedSet<String> known =
        prefix.isEmpty()
            ? allKeys()
            : new TreeSet<>(definition(prefix.substring(0, prefix.length() - 1)).names());
    if (!known.contains(plain)) {
      throw new IllegalArgumentException(
          "unknown setting " + key + "; did you mean " + prefix + nearest(plain, known) + "?");
    }
  }

  /** What a client would refuse when it is made, which for some is in the middle of the work. */
  private static void checkClientValue(String key, String value) {
    String prefix = prefixOf(key);
    String plain = key.substring(prefix.length());
    List<String> kinds =
        prefix.isEmpty()
            ? List.of("consumer", "producer", "admin")
            : List.of(prefix.substring(0, prefix.length() - 1));
    for (String kind : kinds) {
      ConfigDef.ConfigKey known = definition(kind).configKeys().get(plain);
      if (known == null) {
        continue;
      }
      try {
        Object parsed = ConfigDef.parseType(plain, value, known.type);
        if (known.validator != null) {
          known.validator.ensureValid(plain, parsed);
        }
      } catch (ConfigException e) {
        throw new IllegalArgumentException(key + "=" + value + ": " + e.getMessage(), e);
      }
    }
  }

  private static String prefixOf(String key) {
    for (String prefix : PREFIXES) {
      if (key.startsWith(prefix)) {
        return prefix;
      }
    }
    return "";
  }

  private static SortedSet<String> allKeys() {
    TreeSet<String> keys = new TreeSet<>(DEFAULTS.keySet());
    keys.removeIf(key -> !prefixOf(key).isEmpty());
    keys.add("application.id");
    keys.add("application.server");
    keys.add("instance.id");
    keys.add("state.dir");
    keys.add(GUARANTEE);
    keys.addAll(CONSUMER.names());
    keys.addAll(PRODUCER.names());
    keys.addAll(ADMIN.names());
    return keys;
  }

  private static ConfigDef definition(String kind) {
    return switch (kind) {
      case "producer" -> PRODUCER;
      case "admin" -> ADMIN;
      default -> CONSUMER;
    };
  }

  /** The known word with the fewest edits. */
  public static String nearest(String key, SortedSet<String> known) {
    String best = known.first();
    int bestDistance = Integer.MAX_VALUE;
    for (String candidate : known) {
      int distance = distance(key.toLowerCase(Locale.ROOT), candidate);
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return best;
  }

  /** Edits between two words, row by row. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substituted, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }

  private static SortedMap<String, String> defaults() {
    TreeMap<String, String> keys = new TreeMap<>();
    keys.put("num.stream.threads", "1");
    keys.put("num.standby.replicas", "0");
    keys.put("commit.interval.ms", "100");
    keys.put("commit.max.records", "20000");
    keys.put("commit.max.bytes", String.valueOf(16L << 20));
    keys.put("replication.factor", "-1");
    keys.put("poll.ms", "100");
    keys.put("max.task.idle.ms", "0");
    keys.put("repartition.purge.interval.ms", "30000");
    keys.put("task.timeout.ms", "300000");
    keys.put("rocksdb.memory.bytes", String.valueOf(64L << 20));
    keys.put("transaction.timeout.ms", "10000");
    // A first request to a coordinator waits that long after it was found, and so does a start.
    keys.put("retry.backoff.ms", "20");
    // Each client would register some hundred beans, and ask each broker for a subscription.
    keys.put("metric.reporters", "");
    keys.put("auto.include.jmx.reporter", "false"); // the same for clients before 4.0
    keys.put("enable.metrics.push", "false");
    keys.put("consumer.auto.offset.reset", "earliest");
    keys.put("consumer.max.poll.records", "2000");
    // What was read ahead outlives many collections: with 1 MiB the heap grew by a quarter.
    keys.put("consumer.max.partition.fetch.bytes", String.valueOf(256 << 10));
    // A topic that was deleted must not come back empty, and with other partitions, by being read.
    keys.put("consumer.allow.auto.create.topics", "false");
    keys.put("restore.consumer.max.poll.records", "5000");
    keys.put("restore.consumer.max.partition.fetch.bytes", String.valueOf(1 << 20));
    keys.put("producer.linger.ms", "100");
    keys.put("producer.batch.size", String.valueOf(256 << 10));
    keys.put("producer.max.block.ms", "10000");
    return keys;
  }

  /** Lowest and highest value of each number of ours. */
  private static SortedMap<String, long[]> limits() {
    TreeMap<String, long[]> limits = new TreeMap<>();
    limits.put("num.stream.threads", new long[] {1, 512});
    limits.put("num.standby.replicas", new long[] {0, 100});
    limits.put("commit.interval.ms", new long[] {1, 3_600_000});
    limits.put("commit.max.records", new long[] {1, Integer.MAX_VALUE});
    limits.put("commit.max.bytes", new long[] {1, Long.MAX_VALUE});
    limits.put("replication.factor", new long[] {-1, Short.MAX_VALUE});
    limits.put("poll.ms", new long[] {1, 60_000});
    limits.put("max.task.idle.ms", new long[] {-1, Long.MAX_VALUE});
    limits.put("repartition.purge.interval.ms", new long[] {1, Long.MAX_VALUE});
    limits.put("task.timeout.ms", new long[] {0, Long.MAX_VALUE});
    limits.put("rocksdb.memory.bytes", new long[] {1 << 20, Long.MAX_VALUE});
    limits.put("transaction.timeout.ms", new long[] {1, Integer.MAX_VALUE});
    return limits;
  }

  private static SortedMap<String, String> reserved() {
    TreeMap<String, String> keys = new TreeMap<>();
    keys.put("enable.auto.commit", "offsets are committed in the job's transactions");
    keys.put("isolation.level", "a job always reads read_committed");
    keys.put("transactional.id", "it is application.id + instance + worker");
    keys.put("enable.idempotence", "transactions need it");
    keys.put("acks", "transactions need acks=all");
    keys.put("group.id", "it is the application.id");
    keys.put(
        "group.instance.id",
        "it is application.id + instance + worker; set instance.id to name the instance");
    keys.put("transaction.two.phase.commit.enable", "no client offers the methods for it yet");
    for (String serde : new String[] {"key", "value"}) {
      keys.put(serde + ".serializer", "types are given by the serdes of from(...) and to(...)");
      keys.put(serde + ".deserializer", "types are given by the serdes of from(...) and to(...)");
    }
    return keys;
  }
}
