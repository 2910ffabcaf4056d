package io.fencepost.samples.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.prove.main.JobShape;
import io.fencepost.testkit.prove.main.Subject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  private static final List<String> FIELDS =
      List.of("topic", "key", "value", "partition", "timestampMs");

  /** A value goes to the job as it is written: 12.50 is not 12.5, and no digit is lost. */
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private final String jobClass;
  private final String classPath;
  private final JobShape job;
  private final List<Row> rows;

  record Row(
      String topic,
      @Nullable Integer partition,
      @Nullable Long timestampMs,
      byte @Nullable [] key,
      byte @Nullable [] value) {}

  private JobSubject(String jobClass, String classPath, JobShape job, List<Row> rows) {
    this.jobClass = jobClass;
    this.classPath = classPath;
    this.job = job;
    this.rows = rows;
  }

  /**
   * The job that a class defines.
   *
   * @throws IllegalArgumentException saying what is wrong with class or input
   */
  public static JobSubject of(String jobClass, String classPath, Path input) {
    JobShape job = JobShape.of(jobClass, classPath);
    return new JobSubject(jobClass, classPath, job, rows(input, job.inputs()));
  }

  static List<Row> rows(Path input, List<String> topics) {
    List<String> lines;
    try {
      lines = Files.readAllLines(input);
    } catch (IOException e) {
      throw new IllegalArgumentException("--input: " + input + " cannot be read: " + e, e);
    }
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isBlank()) {
        rows.add(row(lines.get(i), input + ":" + (i + 1), topics));
      }
    }
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("--input: " + input + " holds no record");
    }
    return rows;
  }

  private static Row row(String line, String place, List<String> topics) {
    JsonNode node;
    try {
      node = JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(place + " is no JSON: " + e.getOriginalMessage(), e);
    }
    requireFields(node, place);
    String topic =
        node.hasNonNull("topic")
            ? node.get("topic").asText()
            : topics.size() == 1 ? topics.get(0) : "";
    if (!topics.contains(topic)) {
      throw new IllegalArgumentException(
          place + ": the job does not read topic '" + topic + "'; it reads " + topics);
    }
    Long partition = number(node, "partition", PARTITIONS - 1, place);
    return new Row(
        topic,
        partition == null ? null : partition.intValue(),
        number(node, "timestampMs", Long.MAX_VALUE, place),
        bytes(node.get("key")),
        bytes(node.get("value")));
  }

  private static void requireFields(JsonNode node, String place) {
    if (!node.isObject()) {
      throw new IllegalArgumentException(place + " is no JSON object");
    }
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      if (!FIELDS.contains(field.getKey())) {
        throw new IllegalArgumentException(
            place + ": there is no field '" + field.getKey() + "'; there are " + FIELDS);
      }
    }
  }

  private static @Nullable Long number(JsonNode node, String field, long max, String place) {
    JsonNode number = node.get(field);
    if (number == null || number.isNull()) {
      return null;
    }
    if (!number.canConvertToLong()
        || !number.isIntegralNumber()
        || number.longValue() < 0
        || number.longValue() > max) {
      throw new IllegalArgumentException(
          "%s: '%s' is a whole number from 0%s, not %s"
              .formatted(place, field, max == Long.MAX_VALUE ? "" : " to " + max, number));
    }
    return number.longValue();
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
    return job.name();
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
    return job.name();
  }

  @Override
  public List<String> inputs() {
    return job.inputs();
  }

  @Override
  public List<String> outputs() {
    return job.outputs();
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
