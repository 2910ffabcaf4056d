package io.fencepost.streams.jdbc;

import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobStartException;
import io.fencepost.streams.client.Clients;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Puts a sink, its consumers and its threads together. */
final class SinkStart<K, V> {
  private final JdbcSink<K, V> sink;
  private final JobConfig config;
  private final String group;

  SinkStart(JdbcSink<K, V> sink, String name, JobConfig config) {
    this.sink = sink;
    this.config = config;
    this.group = config.applicationId(name);
  }

  SinkHandle start() {
    String clusterId = checkedCluster();
    Map<String, Object> settings = consumerSettings();
    boolean startsAtEnd = startsAtEnd();
    RunningSink running = new RunningSink(group);
    List<SinkWorker> workers = new ArrayList<>();
    List<Consumer<byte[], byte[]>> consumers = new ArrayList<>();
    try {
      for (int i = 0; i < config.workers(); i++) {
        String name = group + "-" + i;
        settings.put("client.id", name);
        Consumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumers.add(consumer);
        SinkTables tables =
            sink.tables(group, clusterId, name + " in process " + ProcessHandle.current().pid());
        SinkLoop<K, V> loop =
            new SinkLoop<>(
                sink.definition(),
                new SinkSettings(config.pollMs(), config.taskTimeoutMs(), startsAtEnd),
                consumer,
                tables);
        workers.add(new SinkWorker(name, loop, consumer, running::onWorkerEnd));
      }
    } catch (RuntimeException e) {
      consumers.forEach(Consumer::close);
      throw e;
    }
    running.workers(workers);
    workers.forEach(SinkWorker::start);
    return running;
  }

  private Map<String, Object> consumerSettings() {
    Map<String, Object> settings = new HashMap<>(config.clientSettings("consumer"));
    settings.put("group.id", group);
    settings.put("enable.auto.commit", "false");
    settings.put("isolation.level", "read_committed");
    // A position comes from the database, and one that the topic does not have must be heard of.
    settings.put("auto.offset.reset", "none");
    settings.put("allow.auto.create.topics", "false");
    return settings;
  }

  private boolean startsAtEnd() {
    Object reset = config.clientSettings("consumer").get("auto.offset.reset");
    return switch (String.valueOf(reset)) {
      case "earliest" -> false;
      case "latest" -> true;
      default ->
          throw new JobStartException(
              "consumer.auto.offset.reset="
                  + reset
                  + ": a sink begins earliest or latest where the database has no offset");
    };
  }

  /** The id of the cluster, which has all topics. */
  private String checkedCluster() {
    List<String> topics = sink.definition().topics();
    try (Admin admin = new Clients(config, group).admin()) {
      String clusterId = admin.describeCluster().clusterId().get();
      admin.describeTopics(topics).allTopicNames().get();
      return clusterId == null ? "" : clusterId;
    } catch (ExecutionException e) {
      throw new JobStartException(
          "sink " + group + " cannot read " + String.join(", ", topics) + ": " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JobStartException("interrupted while the topics were looked up", e);
    }
  }
}
