package io.fencepost.streams.task;

import io.fencepost.streams.Effect;
import io.fencepost.streams.EffectKey;
import io.fencepost.streams.Emitter;
import io.fencepost.streams.Message;
import io.fencepost.streams.PlanNode;
import io.fencepost.streams.Stage;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;

/**
 * A running operator of one task. Types were checked when the job was defined, so messages are
 * plain objects here. Checked exceptions of user code travel as {@link StageFailed} through
 * emitters.
 */
abstract class Operator {
  abstract void accept(Message<Object, Object> message);

  /** A user's checked exception on its way to {@link Pipeline}. */
  static final class StageFailed extends RuntimeException {
    StageFailed(Exception cause) {
      super(cause);
    }
  }

  /** An input that the rules of an operator refuse. */
  static final class Refused extends RuntimeException {
    Refused(String reason) {
      super(reason);
    }
  }

  /** The operators behind one output; most often one. */
  static final class Fan implements Emitter<Object, Object> {
    private final Operator[] next;

    Fan(List<Operator> next) {
      this.next = next.toArray(new Operator[0]);
    }

    @Override
    public void emit(Message<Object, Object> message) {
      for (Operator operator : next) {
        operator.accept(message);
      }
    }
  }

  /** Any stateless operator. */
  static final class Transform extends Operator {
    private final Stage<Object, Object, Object, Object> stage;
    private final Fan out;

    @SuppressWarnings("unchecked") // Flow checked the types of the chain
    Transform(PlanNode.Transform node, Fan out) {
      this.stage = (Stage<Object, Object, Object, Object>) node.stage();
      this.out = out;
    }

    @Override
    void accept(Message<Object, Object> message) {
      try {
        stage.apply(message, out);
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new StageFailed(e);
      }
    }
  }

  /** First sights to one side, repetitions to the other. */
  static final class Deduplicate extends Operator {
    private final TaskContext context;
    private final int table;
    private final long retentionMs;
    private final Fan first;
    private final Fan repeated;

    Deduplicate(TaskContext context, int table, long retentionMs, Fan first, Fan repeated) {
      this.context = context;
      this.table = table;
      this.retentionMs = retentionMs;
      this.first = first;
      this.repeated = repeated;
    }

    @Override
    void accept(Message<Object, Object> message) {
      byte[] key = context.inputKey();
      if (key == null) {
        throw new Refused("it has no key, and is to be deduplicated by key");
      }
      StateBuffer state = context.state();
      byte[] seen = state.get(table, key);
      long newestMs = state.newestMs(table);
      long timeMs = message.timestampMs();
      Long seenMs = seen == null ? null : Longs.read(seen);
      switch (DedupRule.judge(seenMs, timeMs, newestMs, retentionMs)) {
        case FIRST -> {
          state.put(table, key, Longs.write(timeMs));
          state.raiseNewest(table, timeMs);
          first.emit(message);
        }
        case REPEATED -> {
          context.countDuplicate();
          repeated.emit(message);
        }
        case UNKNOWABLE ->
            throw new Refused(
                "its time "
                    + timeMs
                    + " is more than the retention before "
                    + newestMs
                    + ", so nobody can tell whether its key was seen");
      }
    }
  }

  /** Notes an effect, which is had when the whole input went well, and passes the message on. */
  static final class Outside extends Operator {
    private final String name;
    private final Effect<Object, Object> effect;
    private final TaskContext context;
    private final Fan out;

    @SuppressWarnings("unchecked") // Flow checked the types of the chain
    Outside(PlanNode.Outside node, TaskContext context, Fan out) {
      this.name = node.name();
      this.effect = (Effect<Object, Object>) node.effect();
      this.context = context;
      this.out = out;
    }

    @Override
    void accept(Message<Object, Object> message) {
      context.effect(new PendingEffect(effect, context.effectKey(name), message));
      out.emit(message);
    }
  }

  /** An effect that is still to be had. */
  record PendingEffect(
      Effect<Object, Object> effect, EffectKey key, Message<Object, Object> message) {
    void run() {
      try {
        effect.run(key, message);
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new StageFailed(e);
      }
    }
  }

  /** Turns a message into bytes; it is sent when its whole input went well. */
  static final class Sink extends Operator {
    private final String topic;
    private final Serializer<Object> keySerializer;
    private final Serializer<Object> valueSerializer;
    private final TaskContext context;

    @SuppressWarnings("unchecked") // Flow checked the types of the chain
    Sink(String topic, Serde<?> keySerde, Serde<?> valueSerde, TaskContext context) {
      this.topic = topic;
      this.keySerializer = ((Serde<Object>) keySerde).serializer();
      this.valueSerializer = ((Serde<Object>) valueSerde).serializer();
      this.context = context;
    }

    @Override
    void accept(Message<Object, Object> message) {
      byte[] key = keySerializer.serialize(topic, message.headers(), message.key());
      byte[] value = valueSerializer.serialize(topic, message.headers(), message.value());
      // Most messages have none, and what is empty need not be copied for each output.
      Iterable<Header> headers =
          message.headers().toArray().length == 0 ? List.of() : message.headers();
      context.output(
          new Gateway.Output(topic, key, value, Math.max(0, message.timestampMs()), headers));
    }
  }
}
