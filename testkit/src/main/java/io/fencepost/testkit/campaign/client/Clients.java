package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Pipeline;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Makes the clients of a campaign: impatient ones, which soon give up a broker that does not answer
 * and ask another.
 *
 * @param groupProtocol of the job's group
 */
public record Clients(String bootstrap, GroupProtocol groupProtocol) {
  private static final int REQUEST_TIMEOUT_MS = 2_000;
  private static final int SESSION_TIMEOUT_MS = 2_000;
  private static final int HEARTBEAT_MS = 500;
  private static final int POLL_INTERVAL_MS = 3_000;
  private static final int BLOCK_MS = 30_000;
  private static final int MAX_POLL_RECORDS = 500;
  private static final int PROBE_BYTES = 4_096;

  private Map<String, Object> common() {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", bootstrap);
    config.put("request.timeout.ms", REQUEST_TIMEOUT_MS);
    config.put("reconnect.backoff.max.ms", 100);
    config.put("metadata.max.age.ms", 1_000);
    config.put("default.api.timeout.ms", BLOCK_MS);
    return config;
  }

  KafkaProducer<String, String> producer(String transactionalId, int timeoutMs) {
    Map<String, Object> config = common();
    config.remove("default.api.timeout.ms");
    config.put("transactional.id", transactionalId);
    config.put("transaction.timeout.ms", timeoutMs);
    config.put("max.block.ms", BLOCK_MS);
    config.put("delivery.timeout.ms", BLOCK_MS);
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  /** A member of the job's group, once it subscribes. */
  KafkaConsumer<String, String> member() {
    Map<String, Object> config = common();
    config.put("group.id", Pipeline.GROUP);
    config.put("group.protocol", groupProtocol.name().toLowerCase(Locale.ROOT));
    if (groupProtocol == GroupProtocol.CLASSIC) {
      config.put("session.timeout.ms", SESSION_TIMEOUT_MS);
      config.put("heartbeat.interval.ms", HEARTBEAT_MS);
    }
    config.put("max.poll.interval.ms", POLL_INTERVAL_MS);
    config.put("max.poll.records", MAX_POLL_RECORDS);
    config.put("isolation.level", "read_committed");
    config.put("enable.auto.commit", false);
    config.put("auto.offset.reset", "earliest");
    return new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
  }

  /** Asks for ends and committed offsets only. */
  KafkaConsumer<String, String> observer(String isolation) {
    Map<String, Object> config = common();
    config.put("group.id", Pipeline.GROUP);
    config.put("isolation.level", isolation);
    config.put("enable.auto.commit", false);
    return new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
  }

  /** Asks for little at a time. */
  KafkaConsumer<String, String> prober() {
    Map<String, Object> config = common();
    config.put("isolation.level", "read_committed");
    config.put("max.partition.fetch.bytes", PROBE_BYTES);
    return new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
  }

  /** Reads where it is told to, and says so if nothing stands there any more. */
  KafkaConsumer<String, String> reader(Isolation isolation) {
    Map<String, Object> config = common();
    config.put("isolation.level", isolation.name().toLowerCase(Locale.ROOT));
    config.put("auto.offset.reset", "none");
    return new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
  }

  public Admin admin() {
    return Admin.create(common());
  }
}
