package io.fencepost.streams.task;

import io.fencepost.streams.Message;
import io.fencepost.streams.Origin;
import io.fencepost.streams.PlanNode;
import io.fencepost.streams.TryAgainLater;
import io.fencepost.streams.store.StoreFailure;
import java.util.ArrayList;
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
  record Result(List<Gateway.Output> outputs, int duplicates, int dropped, boolean isDead) {}

  private record Head(
      Deserializer<Object> keys,
      Deserializer<Object> values,
      Operator.Fan first,
      boolean looksAhead) {}

  private final TaskPlan plan;
  private final TaskContext context;
  private final Map<PlanNode.Source, Head> heads = new LinkedHashMap<>();
  private final List<ProcessingOperator> scheduled;

  @SuppressWarnings("unchecked") // Flow checked the types of the chain
  Pipeline(TaskPlan plan, TaskContext context, Lanes lanes) {
    this.plan = plan;
    this.context = context;
    Operators operators = new Operators(context, lanes);
    for (PlanNode.Source source : plan.sources()) {
      heads.put(
          source,
          new Head(
              ((Serde<Object>) source.keySerde()).deserializer(),
              ((Serde<Object>) source.valueSerde()).deserializer(),
              operators.after(source),
              Operators.looksAhead(source)));
    }
    this.scheduled = operators.scheduled();
  }

  /** Operators with timers or windows, in the order in which messages pass them. */
  List<ProcessingOperator> scheduled() {
    return scheduled;
  }

  /** An input that was looked at ahead: what to do at its turn, or how it failed. */
  record Prepared(
      ConsumerRecord<byte[], byte[]> input,
      List<Runnable> effects,
      String stage,
      @Nullable Throwable failure) {}

  /** Whether inputs of that topic are to be prepared, several at a time, before they run. */
  boolean looksAhead(String topic) {
    return head(topic).looksAhead;
  }

  /** Starts the calls of one record that run in parallel. Has no effect yet. */
  Prepared prepare(ConsumerRecord<byte[], byte[]> input) {
    List<Runnable> effects = new ArrayList<>();
    context.lookAt(input.key(), DeadLetter.origin(input), effects);
    Progress progress = new Progress();
    try {
      emit(input, progress);
      return new Prepared(input, effects, progress.stage, null);
    } catch (RuntimeException e) {
      return new Prepared(input, effects, progress.stage, telling(e));
    } catch (Error e) {
      throw AtInput.mark(e, DeadLetter.origin(input));
    }
  }

  /**
   * Runs one record that was prepared.
   *
   * @throws PoisonInput as {@link #run}
   */
  Result finish(Prepared prepared) {
    ConsumerRecord<byte[], byte[]> input = prepared.input();
    context.startInput(input.key(), DeadLetter.origin(input));
    Throwable failure = prepared.failure();
    if (failure != null) {
      return dead(input, prepared.stage(), failure);
    }
    Progress progress = new Progress();
    progress.stage = prepared.stage();
    try {
      prepared.effects().forEach(Runnable::run);
      haveEffects(progress);
      return result();
    } catch (RuntimeException e) {
      context.undoInput();
      return dead(input, progress.stage, telling(e));
    } catch (Error e) {
      throw AtInput.mark(e, DeadLetter.origin(input));
    }
  }

  /**
   * Runs one record.
   *
   * @throws PoisonInput if it cannot be processed and the job has no dead-letter topic
   */
  Result run(ConsumerRecord<byte[], byte[]> input) {
    context.startInput(input.key(), DeadLetter.origin(input));
    Progress progress = new Progress();
    try {
      emit(input, progress);
      haveEffects(progress);
      return result();
    } catch (RuntimeException e) {
      context.undoInput();
      return dead(input, progress.stage, telling(e));
    } catch (Error e) {
      throw AtInput.mark(e, DeadLetter.origin(input));
    }
  }

  /** What a failure would have failed at. */
  private static final class Progress {
    private String stage = "its key cannot be read";
  }

  /** Those outside of the job, once the input went well in all operators. */
  private void haveEffects(Progress progress) {
    for (Operator.PendingEffect effect : context.effects()) {
      progress.stage = "effect " + effect.key() + " failed";
      effect.run();
    }
  }

  private void emit(ConsumerRecord<byte[], byte[]> input, Progress progress) {
    Head head = head(input.topic());
    Headers headers = input.headers();
    Object key = head.keys.deserialize(input.topic(), headers, input.key());
    progress.stage = "its value cannot be read";
    Object value = head.values.deserialize(input.topic(), headers, input.value());
    progress.stage = "processing failed";
    head.first.emit(new Message<>(key, value, input.timestamp(), headers, context.origin()));
  }

  /**
   * Fires one timer or closes one window, which is gone afterwards whatever happens.
   *
   * @throws PoisonInput if it fails and the job has no dead-letter topic
   */
  Result fire(ProcessingOperator operator, Due due, int partition) {
    Origin origin = operator.origin(due, partition);
    context.startTimer(due, origin);
    try {
      operator.drop(due);
      operator.fire(due, partition);
      context.effects().forEach(Operator.PendingEffect::run);
      return result();
    } catch (Error e) {
      throw AtInput.mark(e, origin);
    } catch (RuntimeException e) {
      context.undoInput();
      Throwable cause = telling(e);
      operator.drop(due);
      String reason = due.what() + " of operator " + operator.name() + " failed";
      String topic = plan.deadLetterTopic();
      if (topic == null) {
        throw new PoisonInput(origin, reason + ": " + cause, cause);
      }
      return letter(
          DeadLetter.of(topic, plan.jobName(), due, origin, reason, cause), origin, reason, cause);
    }
  }

  private Result result() {
    return new Result(context.outputs(), context.duplicates(), context.dropped(), false);
  }

  /** What went wrong with one input; errors that are not its fault go on. */
  private static Throwable telling(RuntimeException error) {
    if (error instanceof StoreFailure
        || error instanceof InterruptException
        || error instanceof TryAgainLater) {
      throw error;
    }
    Throwable cause = error.getCause();
    if (!(error instanceof Operator.StageFailed) || cause == null) {
      return error;
    }
    if (cause instanceof InterruptedException interrupted) {
      throw new InterruptException(interrupted);
    }
    return cause;
  }

  private Head head(String topic) {
    Head head = heads.get(plan.source(topic));
    if (head == null) {
      throw new IllegalStateException("no source for topic " + topic);
    }
    return head;
  }

  private Result dead(ConsumerRecord<byte[], byte[]> input, String stage, Throwable cause) {
    boolean isRefused = cause instanceof Operator.Refused;
    String reason = isRefused ? String.valueOf(cause.getMessage()) : stage;
    Throwable error = isRefused ? null : cause;
    String topic = plan.deadLetterTopic();
    if (topic == null) {
      Origin origin = DeadLetter.origin(input);
      throw new PoisonInput(origin, error == null ? reason : reason + ": " + error, error);
    }
    Gateway.Output letter = DeadLetter.of(topic, plan.jobName(), input, reason, error);
    return letter(letter, DeadLetter.origin(input), reason, error);
  }

  private Result letter(
      Gateway.Output letter, Origin origin, String reason, @Nullable Throwable error) {
    long bytes = RecordSize.of(letter);
    if (bytes > plan.maxRecordBytes()) {
      throw new PoisonInput(
          origin,
          reason
              + "; and its dead letter takes "
              + bytes
              + " bytes, above producer.max.request.size="
              + plan.maxRecordBytes(),
          error);
    }
    return new Result(List.of(letter), 0, 0, true);
  }
}
