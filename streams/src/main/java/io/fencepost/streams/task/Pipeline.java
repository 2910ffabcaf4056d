package io.fencepost.streams.task;

import io.fencepost.streams.Message;
import io.fencepost.streams.Origin;
import io.fencepost.streams.PlanNode;
import io.fencepost.streams.store.StoreFailure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/**
 * The operators of one task. An input record has all of its effects (outputs, state writes) or, as
 * a dead letter, none of them.
 */
final class Pipeline {
  /** What one input came to. */
  record Result(List<Gateway.Output> outputs, int duplicates, boolean isDead) {}

  private record Head(Deserializer<Object> keys, Deserializer<Object> values, Operator.Fan first) {}

  private final TaskPlan plan;
  private final TaskContext context;
  private final Map<String, Head> heads = new LinkedHashMap<>();

  @SuppressWarnings("unchecked") // Flow checked the types of the chain
  Pipeline(TaskPlan plan, TaskContext context) {
    this.plan = plan;
    this.context = context;
    Map<PlanNode.Source, Operator.Fan> built = new LinkedHashMap<>();
    for (String topic : plan.sourceTopics()) {
      PlanNode.Source source = plan.source(topic);
      Operator.Fan fan = built.get(source);
      if (fan == null) {
        fan = Operator.fans(source, context).get(0);
        built.put(source, fan);
      }
      heads.put(
          topic,
          new Head(
              ((Serde<Object>) source.keySerde()).deserializer(),
              ((Serde<Object>) source.valueSerde()).deserializer(),
              fan));
    }
  }

  /**
   * Runs one record.
   *
   * @throws PoisonInput if it cannot be processed and the job has no dead-letter topic
   */
  Result run(ConsumerRecord<byte[], byte[]> input) {
    context.startInput(input.key());
    String stage = "its key cannot be read";
    try {
      Head head = head(input.topic());
      Headers headers = input.headers();
      Object key = head.keys.deserialize(input.topic(), headers, input.key());
      stage = "its value cannot be read";
      Object value = head.values.deserialize(input.topic(), headers, input.value());
      stage = "processing failed";
      head.first.emit(
          new Message<>(key, value, input.timestamp(), headers, DeadLetter.origin(input)));
      return new Result(context.outputs(), context.duplicates(), false);
    } catch (StoreFailure | InterruptException e) {
      context.undoInput();
      throw e;
    } catch (Operator.Refused e) {
      return dead(input, String.valueOf(e.getMessage()), null);
    } catch (RuntimeException e) {
      Throwable cause =
          e instanceof Operator.StageFailed && e.getCause() != null ? e.getCause() : e;
      if (cause instanceof InterruptedException interrupted) {
        context.undoInput();
        throw new InterruptException(interrupted);
      }
      return dead(input, stage, cause);
    }
  }

  private Head head(String topic) {
    Head head = heads.get(topic);
    if (head == null) {
      throw new IllegalStateException("no source for topic " + topic);
    }
    return head;
  }

  private Result dead(
      ConsumerRecord<byte[], byte[]> input, String reason, @Nullable Throwable error) {
    context.undoInput();
    String topic = plan.deadLetterTopic();
    if (topic == null) {
      Origin origin = DeadLetter.origin(input);
      throw new PoisonInput(origin, error == null ? reason : reason + ": " + error, error);
    }
    Gateway.Output letter = DeadLetter.of(topic, plan.jobName(), input, reason, error);
    long bytes = RecordSize.of(letter);
    if (bytes > plan.maxRecordBytes()) {
      throw new PoisonInput(
          DeadLetter.origin(input),
          reason
              + "; and its dead letter takes "
              + bytes
              + " bytes, above producer.max.request.size="
              + plan.maxRecordBytes(),
          error);
    }
    return new Result(List.of(letter), 0, true);
  }
}
