package io.fencepost.samples.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fencepost.streams.Job;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.prove.main.JobHost;
import io.fencepost.testkit.prove.main.Subject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Any job, with input from a file. */
public final class JobSubject implements Subject {
  private static final int PARTITIONS = 2;

  private final String jobClass;
  private final String classPath;
  private final String application;
  private final List<String> inputs;
  private final List<String> outputs;
  private final List<Row> rows;

  private record Row(
      String topic,
      @Nullable Integer partition,
      @Nullable Long timestampMs,
      byte @Nullable [] key,
      byte @Nullable [] value) {}

  private JobSubject(String jobClass, String classPath, Job job, List<Row> rows) {
    this.jobClass = jobClass;
    this.classPath = classPath;
    this.application = job.name();
    this.inputs = new ArrayList<>(job.sourceTopics());
    this.outputs = new ArrayList<>(job.sinkTopics());
    String dead = job.deadLetterTopic();
    if (dead != null && !outputs.contains(dead)) {
      outputs.add(dead);
    }
    this.rows = rows;
  }

  /**
   * The job that a class defines.
   *
   * @throws IllegalArgumentException saying what is wrong with class or input
   */
  public static JobSubject of(String jobClass, String classPath, Path input) {
    Job job = JobHost.define(jobClass, JobHost.loader(classPath));
    List<Row> rows = rows(input, job.sourceTopics());
    return new JobSubject(jobClass, classPath, job, rows);
  }

  private static List<Row> rows(Path input, List<String> topics) {
    List<String> lines;
    try {
      lines = Files.readAllLines(input);
    } catch (IOException e) {
      throw new IllegalArgumentException("--input: " + input + " cannot be read: " + e, e);
    }
    ObjectMapper json = new ObjectMapper();
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isBlank()) {
        rows.add(row(json, lines.get(i), input + ":" + (i + 1), topics));
      }
    }
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("--input: " + input + " holds no record");
    }
    return rows;
  }

  private static Row row(ObjectMapper json, String line, String place, List<String> topics) {
    JsonNode node;
    try {
      node = json.readTree(line);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(place + " is no JSON: " + e.getOriginalMessage(), e);
    }
    String topic =
        node.hasNonNull("topic")
            ? node.get("topic").asText()
            : topics.size() == 1 ? topics.get(0) : "";
    if (!topics.contains(topic)) {
      throw new IllegalArgumentException(
          place + ": the job does not read topic '" + topic + "'; it reads " + topics);
    }
    return new Row(
        topic,
        node.hasNonNull("partition") ? node.get("partition").asInt() : null,
        node.hasNonNull("timestampMs") ? node.get("timestampMs").asLong() : null,
        bytes(node.get("key")),
        bytes(node.get("value")));
  }

  /** A text stands for its characters, anything else for its JSON. */
  private static byte @Nullable [] bytes(@Nullable JsonNode node) {
    if (node == null || node.isNull()) {
      return null;
    }
    String text = node.isTextual() ? node.asText() : node.toString();
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String name() {
    return application;
  }

  @Override
  public String jobClass() {
    return jobClass;
  }

  @Override
  public String classPath() {
    return classPath;
  }

  @Override
  public String application() {
    return application;
  }

  @Override
  public List<String> inputs() {
    return inputs;
  }

  @Override
  public List<String> outputs() {
    return outputs;
  }

  @Override
  public int partitions() {
    return PARTITIONS;
  }

  @Override
  public void publish(String bootstrap) {
    Properties settings = Clients.producerSettings(bootstrap);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      Sender<byte[], byte[]> sender = new Sender<>(producer);
      for (Row row : rows) {
        sender.send(
            new ProducerRecord<>(
                row.topic(), row.partition(), row.timestampMs(), row.key(), row.value()));
      }
      sender.awaitAll();
    }
  }

  @Override
  public List<String> audited() {
    return List.of();
  }

  @Override
  public SortedMap<String, Verdict> audit(
      String bootstrap, List<ConsumerRecord<byte[], byte[]>> records) {
    return new TreeMap<>();
  }
}
