package io.fencepost.streams;

import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.serialization.Serde;

/**
 * A stream of messages inside a job under construction. Each operator returns the next flow; a flow
 * may be used more than once (then each use sees every message). Not thread-safe; only before
 * {@link Job#start}.
 *
 * <p>Keyed state lives beside the input partition, so {@link #deduplicate} and {@link #process}
 * work on the key that the record was published with. After {@link #map} or {@link #flatMap} the
 * key may be another one, and stateful operators are refused: publish to a topic by {@link #to} and
 * read that.
 */
public final class Flow<K, V> {
  private final Job job;
  private final PlanNode node;
  private final int output;
  private final boolean keyed;

  Flow(Job job, PlanNode node, int output, boolean keyed) {
    this.job = job;
    this.node = node;
    this.output = output;
    this.keyed = keyed;
  }

  /** Key, value, time and headers may change; null drops nothing, it is an error. */
  public <K2, V2> Flow<K2, V2> map(Function<Message<K, V>, Message<K2, V2>> mapper) {
    Stage<K, V, K2, V2> stage = (in, out) -> out.emit(mapper.apply(in));
    return transform("map", stage, false);
  }

  public <V2> Flow<K, V2> mapValues(Function<V, V2> mapper) {
    Stage<K, V, K, V2> stage = (in, out) -> out.emit(in.withValue(mapper.apply(in.value())));
    return transform("mapValues", stage, keyed);
  }

  public Flow<K, V> filter(BiPredicate<K, V> condition) {
    Stage<K, V, K, V> stage =
        (in, out) -> {
          if (condition.test(in.key(), in.value())) {
            out.emit(in);
          }
        };
    return transform("filter", stage, keyed);
  }

  /** Any number of messages for one, with any key. */
  public <K2, V2> Flow<K2, V2> flatMap(Stage<K, V, K2, V2> stage) {
    return transform("flatMap", stage, false);
  }

  /** Any number of values for one, under the same key. */
  public <V2> Flow<K, V2> flatMapValues(BiFunction<K, V, ? extends Iterable<V2>> mapper) {
    Stage<K, V, K, V2> stage =
        (in, out) -> {
          for (V2 value : mapper.apply(in.key(), in.value())) {
            out.emit(in.withValue(value));
          }
        };
    return transform("flatMapValues", stage, keyed);
  }

  /** Looks at each message; must have no effect outside of the job that matters twice. */
  public Flow<K, V> peek(Consumer<Message<K, V>> observer) {
    Stage<K, V, K, V> stage =
        (in, out) -> {
          observer.accept(in);
          out.emit(in);
        };
    return transform("peek", stage, keyed);
  }

  /**
   * Lets the first message of each key pass, and drops what repeats it within the retention (event
   * time: a repetition is younger than first sight + retention). A message without a key is a dead
   * letter. So is one that is older than the newest accepted message by more than the retention and
   * whose key is not remembered: nobody can tell any more whether it was seen.
   *
   * @param store name of the state, stable for the life of the job
   */
  public Flow<K, V> deduplicate(String store, Duration retention) {
    return deduplicate(store, retention, repetitions -> {});
  }

  /** As {@link #deduplicate(String, Duration)}; the repetitions go to a flow of their own. */
  public Flow<K, V> deduplicate(String store, Duration retention, Consumer<Flow<K, V>> duplicates) {
    requireKeyed("deduplicate");
    StoreSpec<byte[], Long> firstSights = StoreSpec.firstSights(store, retention);
    PlanNode next =
        job.add(new PlanNode.Deduplicate(job.nodeName("deduplicate"), firstSights), node, output);
    duplicates.accept(new Flow<>(job, next, 1, keyed));
    return new Flow<>(job, next, 0, keyed);
  }

  /** An operator of the user's own with a keyed store. */
  public <K2, V2, SK, SV> Flow<K2, V2> process(
      StoreSpec<SK, SV> store, StatefulStage<K, V, K2, V2, SK, SV> stage) {
    requireKeyed("process");
    PlanNode next =
        job.add(new PlanNode.Stateful(job.nodeName("process"), store, stage), node, output);
    return new Flow<>(job, next, 0, false);
  }

  /** Both flows' messages in one. */
  public Flow<K, V> merge(Flow<K, V> other) {
    Stage<K, V, K, V> pass = (in, out) -> out.emit(in);
    PlanNode next = new PlanNode.Transform(job.nodeName("merge"), pass);
    job.add(next, node, output);
    job.add(next, other.node, other.output);
    return new Flow<>(job, next, 0, keyed && other.keyed);
  }

  /** Publishes to a topic, partitioned by key. The topic must exist when the job starts. */
  public void to(String topic, Serde<K> keySerde, Serde<V> valueSerde) {
    job.add(new PlanNode.Sink(job.nodeName("to"), topic, keySerde, valueSerde), node, output);
  }

  private <K2, V2> Flow<K2, V2> transform(
      String verb, Stage<?, ?, ?, ?> stage, boolean staysKeyed) {
    PlanNode next = job.add(new PlanNode.Transform(job.nodeName(verb), stage), node, output);
    return new Flow<>(job, next, 0, staysKeyed);
  }

  private void requireKeyed(String verb) {
    if (!keyed) {
      throw new IllegalStateException(
          verb
              + " after an operator that may change the key ("
              + node.name()
              + "): state is kept per input partition, and equal keys could meet in different"
              + " partitions. Keep the key (mapValues, filter, flatMapValues), or publish to a"
              + " topic with to(...) and read it in a second job.");
    }
  }
}
