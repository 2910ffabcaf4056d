package io.fencepost.streams.task;

import io.fencepost.streams.Emitter;
import io.fencepost.streams.Message;
import io.fencepost.streams.PlanNode;
import io.fencepost.streams.Stage;
import io.fencepost.streams.StatefulStage;
import io.fencepost.streams.Store;
import java.util.ArrayList;
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

  /** The user's own operator with a store. */
  static final class Stateful extends Operator {
    private final StatefulStage<Object, Object, Object, Object, Object, Object> stage;
    private final Store<Object, Object> store;
    private final Fan out;

    @SuppressWarnings("unchecked") // Flow checked the types of the chain
    Stateful(PlanNode.Stateful node, TaskContext context, int table, Fan out) {
      this.stage = (StatefulStage<Object, Object, Object, Object, Object, Object>) node.stage();
      this.store = new BufferedStore(context, table, node.store());
      this.out = out;
    }

    @Override
    void accept(Message<Object, Object> message) {
      try {
        stage.apply(message, store, out);
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
    Sink(PlanNode.Sink node, TaskContext context) {
      this.topic = node.topic();
      this.keySerializer = ((Serde<Object>) node.keySerde()).serializer();
      this.valueSerializer = ((Serde<Object>) node.valueSerde()).serializer();
      this.context = context;
    }

    @Override
    void accept(Message<Object, Object> message) {
      Iterable<Header> headers = message.headers();
      byte[] key = keySerializer.serialize(topic, message.headers(), message.key());
      byte[] value = valueSerializer.serialize(topic, message.headers(), message.value());
      context.output(
          new Gateway.Output(topic, key, value, Math.max(0, message.timestampMs()), headers));
    }
  }

  /** The chain behind each output of a node, built depth first. */
  static List<Fan> fans(PlanNode node, TaskContext context) {
    List<Fan> fans = new ArrayList<>();
    for (int output = 0; output < node.outputCount(); output++) {
      List<Operator> next = new ArrayList<>();
      for (PlanNode child : node.next(output)) {
        next.add(of(child, context));
      }
      fans.add(new Fan(next));
    }
    return fans;
  }

  private static Operator of(PlanNode node, TaskContext context) {
    List<Fan> fans = fans(node, context);
    if (node instanceof PlanNode.Transform transform) {
      return new Transform(transform, fans.get(0));
    }
    if (node instanceof PlanNode.Deduplicate deduplicate) {
      long retentionMs = context.plan().retentionMs(deduplicate.store());
      int table = context.plan().table(deduplicate.store());
      return new Deduplicate(context, table, retentionMs, fans.get(0), fans.get(1));
    }
    if (node instanceof PlanNode.Stateful process) {
      return new Stateful(process, context, context.plan().table(process.store()), fans.get(0));
    }
    if (node instanceof PlanNode.Sink sink) {
      return new Sink(sink, context);
    }
    throw new IllegalStateException("operator " + node.name() + " cannot follow another one");
  }
}
