package io.fencepost.streams;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;

/**
 * One operator of a job as data: what it does and who comes next, per output. The engine builds its
 * running operators from it, {@link Job#describe} prints it.
 */
public abstract sealed class PlanNode {
  private final String name;
  private final List<List<PlanNode>> outputs = new ArrayList<>();

  private PlanNode(String name, int outputCount) {
    this.name = name;
    for (int i = 0; i < outputCount; i++) {
      outputs.add(new ArrayList<>());
    }
  }

  public String name() {
    return name;
  }

  public int outputCount() {
    return outputs.size();
  }

  /** Who gets what this operator puts out there, in the order of definition. */
  public List<PlanNode> next(int output) {
    return outputs.get(output);
  }

  /** Reads topics. */
  public static final class Source extends PlanNode {
    private final List<String> topics;
    private final Serde<?> keySerde;
    private final Serde<?> valueSerde;

    Source(String name, List<String> topics, Serde<?> keySerde, Serde<?> valueSerde) {
      super(name, 1);
      this.topics = List.copyOf(topics);
      this.keySerde = keySerde;
      this.valueSerde = valueSerde;
    }

    public List<String> topics() {
      return topics;
    }

    public Serde<?> keySerde() {
      return keySerde;
    }

    public Serde<?> valueSerde() {
      return valueSerde;
    }
  }

  /** Any stateless operator. */
  public static final class Transform extends PlanNode {
    private final Stage<?, ?, ?, ?> stage;

    Transform(String name, Stage<?, ?, ?, ?> stage) {
      super(name, 1);
      this.stage = stage;
    }

    public Stage<?, ?, ?, ?> stage() {
      return stage;
    }
  }

  /** First sights to output 0, repetitions to output 1. */
  public static final class Deduplicate extends PlanNode {
    private final StoreSpec<?, ?> store;

    Deduplicate(String name, StoreSpec<?, ?> store) {
      super(name, 2);
      this.store = store;
    }

    public StoreSpec<?, ?> store() {
      return store;
    }
  }

  /** The user's own operator with a store. */
  public static final class Stateful extends PlanNode {
    private final StoreSpec<?, ?> store;
    private final StatefulStage<?, ?, ?, ?, ?, ?> stage;

    Stateful(String name, StoreSpec<?, ?> store, StatefulStage<?, ?, ?, ?, ?, ?> stage) {
      super(name, 1);
      this.store = store;
      this.stage = stage;
    }

    public StoreSpec<?, ?> store() {
      return store;
    }

    public StatefulStage<?, ?, ?, ?, ?, ?> stage() {
      return stage;
    }
  }

  /** Writes a topic. */
  public static final class Sink extends PlanNode {
    private final String topic;
    private final Serde<?> keySerde;
    private final Serde<?> valueSerde;

    Sink(String name, String topic, Serde<?> keySerde, Serde<?> valueSerde) {
      super(name, 0);
      this.topic = topic;
      this.keySerde = keySerde;
      this.valueSerde = valueSerde;
    }

    public String topic() {
      return topic;
    }

    public Serde<?> keySerde() {
      return keySerde;
    }

    public Serde<?> valueSerde() {
      return valueSerde;
    }
  }
}
