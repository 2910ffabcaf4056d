package io.fencepost.testkit.fault.main;

import java.util.SortedMap;
import java.util.TreeMap;

/** Settings by which what takes a minute in production takes a second in a test. */
public final class ShortTimes {
  private ShortTimes() {}

  /** Of brokers, however many there are. */
  public static SortedMap<String, String> ofBrokers() {
    TreeMap<String, String> settings = new TreeMap<>();
    settings.put("group.min.session.timeout.ms", "500");
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "200");
    return settings;
  }

  /**
   * Of three brokers or more, which lose none of what they have acknowledged if one of them dies.
   */
  public static SortedMap<String, String> ofCluster() {
    TreeMap<String, String> settings = new TreeMap<>(ofBrokers());
    settings.put("min.insync.replicas", "2");
    settings.put("replica.lag.time.max.ms", "500");
    settings.put("broker.session.timeout.ms", "500");
    settings.put("broker.heartbeat.interval.ms", "100");
    settings.put("offsets.topic.num.partitions", "5");
    settings.put("transaction.state.log.num.partitions", "5");
    return settings;
  }

  /** Of a job, on brokers with {@link #ofBrokers}. */
  public static SortedMap<String, String> ofJob() {
    TreeMap<String, String> settings = new TreeMap<>();
    settings.put("task.timeout.ms", "20000");
    settings.put("transaction.timeout.ms", "2000");
    settings.put("consumer.session.timeout.ms", "1000");
    settings.put("consumer.heartbeat.interval.ms", "200");
    settings.put("consumer.default.api.timeout.ms", "3000");
    settings.put("admin.default.api.timeout.ms", "3000");
    settings.put("producer.linger.ms", "5");
    settings.put("producer.max.block.ms", "3000");
    settings.put("producer.delivery.timeout.ms", "3000");
    settings.put("request.timeout.ms", "1000");
    settings.put("retry.backoff.ms", "10");
    settings.put("retry.backoff.max.ms", "100");
    settings.put("reconnect.backoff.ms", "10");
    settings.put("reconnect.backoff.max.ms", "100");
    return settings;
  }
}
