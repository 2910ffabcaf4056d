package io.fencepost.streams.client;

import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobStartException;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.task.JobPlan;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes a job's clients with the settings that its guarantee needs. */
public record Clients(JobConfig config, String applicationId) {
  /** Of the producer, which has no constant for it. */
  private static final long DEFAULT_BUFFER_BYTES = 32L << 20;

  private static final String STRATEGY = "partition.assignment.strategy";

  public Admin admin() {
    Map<String, Object> settings = new HashMap<>(config.clientSettings("admin"));
    settings.putIfAbsent("client.id", applicationId + "-admin");
    return RefusedSettings.check(() -> Admin.create(settings));
  }

  /**
   * A member of the job's group.
   *
   * @param copies tasks whose state this instance has on disk, with the time of their last change
   */
  private Consumer<byte[], byte[]> member(
      String clientId, JobPlan plan, Supplier<Map<TaskId, Long>> copies) {
    return new KafkaConsumer<>(
        memberSettings(clientId, plan, copies),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  Map<String, Object> memberSettings(
      String clientId, JobPlan plan, Supplier<Map<TaskId, Long>> copies) {
    Map<String, Object> settings = new HashMap<>(config.clientSettings("consumer"));
    Object name = settings.getOrDefault("client.id", clientId);
    settings.put("client.id", GroupView.clientId(String.valueOf(name), config.applicationServer()));
    settings.put("group.id", applicationId);
    settings.put("group.instance.id", clientId);
    settings.put("enable.auto.commit", "false");
    settings.put("isolation.level", "read_committed");
    if (brokerAssigns()) {
      if (plan.isCoPartitioned()) {
        // Here (KIP-848) the broker assigns; its range puts equal partition numbers of all topics
        // on one member.
        settings.put("group.remote.assignor", "range");
      }
    } else if (plan.isCoPartitioned() || !settings.containsKey(STRATEGY)) {
      settings.put(STRATEGY, TaskAssignor.class.getName());
      settings.put(TaskAssignor.PLAN, plan);
      settings.put(TaskAssignor.COPIES, copies);
    }
    return settings;
  }

  private boolean brokerAssigns() {
    Object protocol = config.clientSettings("consumer").get("group.protocol");
    return "consumer".equalsIgnoreCase(String.valueOf(protocol));
  }

  /**
   * The workers of one instance as members of the job's group.
   *
   * @param workers their ids
   */
  public StaticMembers members(Admin admin, List<String> workers) {
    return new StaticMembers(admin, applicationId, workers, brokerAssigns());
  }

  /**
   * Makes those clients once that are else made in the middle of the work, as only they know which
   * of their settings go together.
   *
   * @throws JobStartException saying what they refuse
   */
  @SuppressWarnings("deprecation") // the successor of close(Duration) is missing in the 3.9 client
  public void check() {
    String id = applicationId + "-check";
    RefusedSettings.check(() -> config.isExactlyOnce() ? transactionalProducer(id) : producer(id))
        .close(Duration.ZERO);
    RefusedSettings.check(() -> restorer(id)).close(Duration.ZERO);
    checkBuffer(config.clientSettings("producer"));
  }

  /** The producer itself notices at the first record, which then never fits. */
  private static void checkBuffer(Map<String, Object> settings) {
    Object memory = settings.getOrDefault("buffer.memory", DEFAULT_BUFFER_BYTES);
    Object batch = settings.getOrDefault("batch.size", 0);
    if (bytes(memory) < bytes(batch)) {
      throw new JobStartException(
          "producer.buffer.memory=%s holds no batch of producer.batch.size=%s bytes; raise the one or lower the other"
              .formatted(memory, batch));
    }
  }

  private static long bytes(Object setting) {
    return Long.parseLong(String.valueOf(setting).trim());
  }

  /** Reads changelogs; belongs to no group. */
  public Consumer<byte[], byte[]> restorer(String clientId) {
    Map<String, Object> settings = new HashMap<>(config.clientSettings("restore.consumer"));
    settings.put("client.id", clientId + "-restore");
    settings.keySet().removeIf(key -> key.startsWith("group."));
    settings.put("enable.auto.commit", "false");
    settings.put("isolation.level", "read_committed");
    settings.put("auto.offset.reset", "none");
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** What a worker of the job reads and writes with, by the job's processing.guarantee. */
  public KafkaGateway gateway(
      String id,
      Admin admin,
      JobPlan plan,
      Supplier<Map<TaskId, Long>> copies,
      StaticMembers members) {
    Consumer<byte[], byte[]> member = RefusedSettings.check(() -> member(id, plan, copies));
    Seat seat = members.seat(id);
    return config.isExactlyOnce()
        ? new ExactlyOnceGateway(member, admin, () -> transactionalProducer(id), seat)
        : new AtLeastOnceGateway(member, admin, () -> producer(id), seat);
  }

  private Producer<byte[], byte[]> producer(String id) {
    Map<String, Object> settings = new HashMap<>(config.clientSettings("producer"));
    settings.putIfAbsent("client.id", id);
    settings.remove("transaction.timeout.ms");
    settings.put("enable.idempotence", "true");
    settings.put("acks", "all");
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private Producer<byte[], byte[]> transactionalProducer(String transactionalId) {
    Map<String, Object> settings = new HashMap<>(config.clientSettings("producer"));
    settings.putIfAbsent("client.id", transactionalId);
    settings.put("transactional.id", transactionalId);
    settings.put("enable.idempotence", "true");
    settings.put("acks", "all");
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }
}
