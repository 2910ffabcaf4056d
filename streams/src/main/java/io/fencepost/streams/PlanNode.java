package io.fencepost.streams;

import io.fencepost.streams.operators.Branching;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

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

  /** The stores that it works on, in the order of definition. */
  public List<StoreSpec<?, ?>> stores() {
    return List.of();
  }

  /** How {@link Job#describe} calls what comes out there; empty for the main output. */
  String outputName(int output) {
    return "";
  }

  /** Reads topics: named ones, those that match a pattern, or what a {@link Repartition} wrote. */
  public static final class Source extends PlanNode {
    private final List<String> topics;
    private final @Nullable Pattern pattern;
    private final @Nullable Repartition origin;
    private final Serde<?> keySerde;
    private final Serde<?> valueSerde;

    Source(String name, List<String> topics, Serde<?> keySerde, Serde<?> valueSerde) {
      super(name, 1);
      this.topics = List.copyOf(topics);
      this.pattern = null;
      this.origin = null;
      this.keySerde = keySerde;
      this.valueSerde = valueSerde;
    }

    Source(String name, Pattern pattern, Serde<?> keySerde, Serde<?> valueSerde) {
      super(name, 1);
      this.topics = List.of();
      this.pattern = pattern;
      this.origin = null;
      this.keySerde = keySerde;
      this.valueSerde = valueSerde;
    }

    Source(Repartition origin) {
      super(origin.name(), 1);
      this.topics = List.of();
      this.pattern = null;
      this.origin = origin;
      this.keySerde = origin.keySerde();
      this.valueSerde = origin.valueSerde();
    }

    /** The user's topics; empty for a pattern or a repartition topic. */
    public List<String> topics() {
      return topics;
    }

    /** All topics that are known by name. */
    public List<String> topics(String applicationId) {
      return origin == null ? topics : List.of(origin.topic(applicationId));
    }

    public @Nullable Pattern pattern() {
      return pattern;
    }

    /** Who writes what this reads, if that is the job itself. */
    public @Nullable Repartition origin() {
      return origin;
    }

    public Serde<?> keySerde() {
      return keySerde;
    }

    public Serde<?> valueSerde() {
      return valueSerde;
    }

    /** Whether a table is made of its messages, possibly by way of stateless operators. */
    public boolean feedsTable() {
      return feedsTable(this);
    }

    private static boolean feedsTable(PlanNode node) {
      for (int output = 0; output < node.outputCount(); output++) {
        for (PlanNode next : node.next(output)) {
          if (next instanceof Processing processing
              ? processing.isTable
              : next instanceof Transform && feedsTable(next)) {
            return true;
          }
        }
      }
      return false;
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

    @Override
    public List<StoreSpec<?, ?>> stores() {
      return List.of(store);
    }

    @Override
    String outputName(int output) {
      return output == 0 ? "" : "repetitions";
    }
  }

  /** An operator with stores, timers and side outputs: the user's own, or one of the library. */
  public static final class Processing extends PlanNode {
    private final Supplier<? extends Processor<?, ?, ?, ?>> code;
    private final List<StoreSpec<?, ?>> stores;
    private final List<SideOutput<?, ?>> sides;
    private final @Nullable Serde<?> keySerde;
    private boolean isTable;

    Processing(
        String name,
        Supplier<? extends Processor<?, ?, ?, ?>> code,
        List<StoreSpec<?, ?>> stores,
        List<SideOutput<?, ?>> sides,
        @Nullable Serde<?> keySerde) {
      super(name, 1 + sides.size());
      this.code = code;
      this.stores = List.copyOf(stores);
      this.sides = List.copyOf(sides);
      this.keySerde = keySerde;
    }

    public Supplier<? extends Processor<?, ?, ?, ?>> code() {
      return code;
    }

    /** Its messages make a table. */
    void makesTable() {
      isTable = true;
    }

    @Override
    public List<StoreSpec<?, ?>> stores() {
      return stores;
    }

    /** Whether its code is known to keep nothing between messages. */
    public boolean isStateless() {
      return code.get() instanceof Branching;
    }

    /** How the keys of its timers are read. */
    public @Nullable Serde<?> keySerde() {
      return keySerde;
    }

    public int output(SideOutput<?, ?> side) {
      int index = sides.indexOf(side);
      if (index < 0) {
        throw new IllegalArgumentException(
            "operator " + name() + " was not given the side output " + side.name());
      }
      return index + 1;
    }

    @Override
    String outputName(int output) {
      return output == 0 ? "" : sides.get(output - 1).name();
    }
  }

  /** Blocking code of the user, for several keys at once. */
  public static final class Parallel extends PlanNode {
    private final int parallelism;
    private final Function<?, ?> mapper;

    Parallel(String name, int parallelism, Function<?, ?> mapper) {
      super(name, 1);
      this.parallelism = parallelism;
      this.mapper = mapper;
    }

    public int parallelism() {
      return parallelism;
    }

    public Function<?, ?> mapper() {
      return mapper;
    }
  }

  /** Has effects outside of the job's topics, and passes its messages on. */
  public static final class Outside extends PlanNode {
    private final Effect<?, ?> effect;

    Outside(String name, Effect<?, ?> effect) {
      super(name, 1);
      this.effect = effect;
    }

    public Effect<?, ?> effect() {
      return effect;
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

  /**
   * Writes a topic of the job's own, partitioned by the new key; a {@link Source} reads it, in the
   * transaction after.
   */
  public static final class Repartition extends PlanNode {
    private final Serde<?> keySerde;
    private final Serde<?> valueSerde;

    Repartition(String name, Serde<?> keySerde, Serde<?> valueSerde) {
      super(name, 0);
      this.keySerde = keySerde;
      this.valueSerde = valueSerde;
    }

    public String topic(String applicationId) {
      return applicationId + "-" + name() + "-repartition";
    }

    public Serde<?> keySerde() {
      return keySerde;
    }

    public Serde<?> valueSerde() {
      return valueSerde;
    }
  }
}
