package io.fencepost.streams;

import io.fencepost.streams.operators.Branching;
import io.fencepost.streams.operators.Change;
import io.fencepost.streams.operators.Fold;
import io.fencepost.streams.operators.JoinRule;
import io.fencepost.streams.operators.KeyStamping;
import io.fencepost.streams.operators.Sided;
import io.fencepost.streams.operators.StagedProcessor;
import io.fencepost.streams.operators.StreamJoin;
import io.fencepost.streams.operators.TableAggregator;
import io.fencepost.streams.operators.TableLookup;
import io.fencepost.streams.operators.TableWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;

/**
 * A stream of messages inside a job under construction. Each operator returns the next flow; a flow
 * may be used more than once (then each use sees every message). Not thread-safe; only before
 * {@link Job#start}.
 *
 * <p>Keyed state lives beside the input partition, so {@link #deduplicate}, {@link #process} and
 * the like work on the key that the record was published with. After {@link #map} or {@link
 * #flatMap} the key may be another one, and stateful operators are refused: {@link #keyBy} sends
 * the messages to the partition of their new key first.
 */
public sealed class Flow<K, V> permits Processed {
  private final Job job;
  private final PlanNode node;
  private final int output;
  private final @Nullable Serde<K> keySerde;

  /**
   * One output of an operator.
   *
   * @param keySerde how the key was read, if it still is the key of the input record; else null
   */
  Flow(Job job, PlanNode node, int output, @Nullable Serde<K> keySerde) {
    this.job = job;
    this.node = node;
    this.output = output;
    this.keySerde = keySerde;
  }

  Job job() {
    return job;
  }

  /** Key, value, time and headers may change; null drops nothing, it is an error. */
  public <K2, V2> Flow<K2, V2> map(Function<Message<K, V>, Message<K2, V2>> mapper) {
    Stage<K, V, K2, V2> stage = (in, out) -> out.emit(mapper.apply(in));
    return transform("map", stage, null);
  }

  public <V2> Flow<K, V2> mapValues(Function<V, V2> mapper) {
    Stage<K, V, K, V2> stage = (in, out) -> out.emit(in.withValue(mapper.apply(in.value())));
    return transform("mapValues", stage, keySerde);
  }

  public Flow<K, V> filter(BiPredicate<K, V> condition) {
    Stage<K, V, K, V> stage =
        (in, out) -> {
          if (condition.test(in.key(), in.value())) {
            out.emit(in);
          }
        };
    return transform("filter", stage, keySerde);
  }

  /** Any number of messages for one, with any key. */
  public <K2, V2> Flow<K2, V2> flatMap(Stage<K, V, K2, V2> stage) {
    return transform("flatMap", stage, null);
  }

  /**
   * As {@link #mapValues} for code that blocks (a call over the network): up to {@code parallelism}
   * keys at once per worker, each key's messages one after the other, and everything behind it in
   * the order of the input. All are part of the worker's one transaction. The code runs on other
   * threads and may run again after an abort.
   *
   * @throws IllegalStateException if an operator with state, or another of this kind, comes before
   */
  public <V2> Flow<K, V2> mapValuesInParallel(int parallelism, Function<V, V2> mapper) {
    if (parallelism < 1 || parallelism > 1_000) {
      throw new IllegalArgumentException("parallelism " + parallelism + " is not in 1 to 1000");
    }
    job.requireStatelessBefore(node);
    PlanNode next =
        job.add(
            new PlanNode.Parallel(job.nodeName("mapValuesInParallel"), parallelism, mapper),
            node,
            output);
    return new Flow<>(job, next, 0, keySerde);
  }

  /** Any number of values for one, under the same key. */
  public <V2> Flow<K, V2> flatMapValues(BiFunction<K, V, ? extends Iterable<V2>> mapper) {
    Stage<K, V, K, V2> stage =
        (in, out) -> {
          for (V2 value : mapper.apply(in.key(), in.value())) {
            out.emit(in.withValue(value));
          }
        };
    return transform("flatMapValues", stage, keySerde);
  }

  /** Looks at each message; must have no effect outside of the job that matters twice. */
  public Flow<K, V> peek(Consumer<Message<K, V>> observer) {
    Stage<K, V, K, V> stage =
        (in, out) -> {
          observer.accept(in);
          out.emit(in);
        };
    return transform("peek", stage, keySerde);
  }

  /**
   * Has an effect outside of the job's topics for each message (mail, an HTTP call), and passes the
   * messages on.
   *
   * <p>The code runs once all operators have taken the input, and before the transaction of that
   * input is committed. So it is never skipped for input that was committed, and runs again, with
   * the same key, for input whose transaction was aborted or whose commit nobody saw: the effect is
   * exactly-once only if its receiver drops a key that it has seen. What it throws makes the input
   * a dead letter with nothing of it in topics and stores (but effects that ran before are not
   * taken back); {@link TryAgainLater} aborts the transaction and tries again. One call must end
   * well within {@code transaction.timeout.ms}.
   *
   * @param name part of the keys: unique in the job and stable as long as keys matter
   */
  public Flow<K, V> effect(String name, Effect<K, V> effect) {
    PlanNode next = job.add(new PlanNode.Outside(job.uniqueName(name), effect), node, output);
    return new Flow<>(job, next, 0, keySerde);
  }

  /**
   * Gives each message the header {@link EffectKey#HEADER}, for a topic from which others send mail
   * or call servers: whoever does it reads the key with {@link EffectKey#of}.
   *
   * @param name part of the keys: unique in the job and stable as long as keys matter
   */
  public Flow<K, V> stampEffectKeys(String name) {
    return operator(name, KeyStamping::new, List.of(), List.of(), keySerde);
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
    Durations.checkPositive("retention of " + store, retention);
    StoreSpec<byte[], Long> firstSights = StoreSpec.firstSights(store, retention);
    PlanNode next =
        job.add(new PlanNode.Deduplicate(job.nodeName("deduplicate"), firstSights), node, output);
    duplicates.accept(new Flow<>(job, next, 1, keySerde));
    return new Flow<>(job, next, 0, keySerde);
  }

  /** An operator of the user's own with a keyed store. */
  public <K2, V2, SK, SV> Flow<K2, V2> process(
      StoreSpec<SK, SV> store, StatefulStage<K, V, K2, V2, SK, SV> stage) {
    return process(job.nodeName("process"), () -> new StagedProcessor<>(store, stage), store);
  }

  /**
   * An operator of the user's own with any number of stores, side outputs and (for a {@link
   * TimedProcessor}) timers, which are kept in a store named {@code NAME-timers}.
   *
   * @param name unique in the job and stable for the life of its timers
   * @param code makes one processor for each task
   * @param parts its stores (which other operators may share) and side outputs
   */
  public <K2, V2> Processed<K2, V2> process(
      String name, Supplier<? extends Processor<K, V, K2, V2>> code, ProcessorPart... parts) {
    List<StoreSpec<?, ?>> stores = new ArrayList<>();
    List<SideOutput<?, ?>> sides = new ArrayList<>();
    for (ProcessorPart part : parts) {
      if (part instanceof StoreSpec<?, ?> store) {
        stores.add(store);
      } else if (part instanceof SideOutput<?, ?> side) {
        sides.add(side);
      }
    }
    Processor<K, V, K2, V2> sample = code.get();
    if (sample == code.get()) {
      throw new IllegalArgumentException(
          "the supplier of operator "
              + name
              + " gives the same processor twice; each task needs its own, as () -> new"
              + " MyProcessor()");
    }
    if (sample instanceof TimedProcessor) {
      stores.add(timers(name));
    }
    if (!stores.isEmpty()) {
      requireKeyed("process");
    }
    return operator(name, code, stores, sides, null);
  }

  /** An operator of the library; its output has that key serde if it keeps the key. */
  <K2, V2> Processed<K2, V2> operator(
      String name,
      Supplier<? extends Processor<K, V, K2, V2>> code,
      List<StoreSpec<?, ?>> stores,
      List<SideOutput<?, ?>> sides,
      @Nullable Serde<K2> outputKeySerde) {
    PlanNode.Processing next =
        new PlanNode.Processing(job.uniqueName(name), code, stores, sides, keySerde);
    job.add(next, node, output);
    return new Processed<>(job, next, outputKeySerde);
  }

  /**
   * Gives those messages that meet the condition to {@code matching}, and returns the flow of all
   * others: {@code payments.branch(large, it -> it.to(...)).branch(small, ...).to(rest)}.
   */
  public Flow<K, V> branch(BiPredicate<K, V> condition, Consumer<Flow<K, V>> matching) {
    SideOutput<K, V> matched = SideOutput.named("matching");
    Processed<K, V> rest =
        operator(
            job.nodeName("branch"),
            () -> new Branching<>(condition, matched),
            List.of(),
            List.of(matched),
            keySerde);
    matching.accept(new Flow<>(job, rest.node(), 1, keySerde));
    return rest;
  }

  /**
   * Sends each message to the partition of a new key, through a topic of the job's own ({@code
   * application.id-NAME-repartition}, as many partitions as the topics that it meets or, where it
   * meets none, comes from). The messages are written in the transaction of their input, read in a
   * later one, and purged from the topic once that is committed.
   *
   * @param name unique among the job's repartition topics and stable for its life
   * @param key gives the new key; null makes the input a dead letter
   */
  public <K2> Flow<K2, V> keyBy(
      String name, Function<V, K2> key, Serde<K2> newKeySerde, Serde<V> valueSerde) {
    return keyBy(name, (oldKey, value) -> key.apply(value), newKeySerde, valueSerde);
  }

  /** As {@link #keyBy(String, Function, Serde, Serde)}, from the old key and the value. */
  public <K2> Flow<K2, V> keyBy(
      String name, BiFunction<K, V, K2> key, Serde<K2> newKeySerde, Serde<V> valueSerde) {
    Stage<K, V, K2, V> stage =
        (in, out) -> {
          K2 newKey = key.apply(in.key(), in.value());
          if (newKey == null) {
            throw new IllegalArgumentException("keyBy " + name + " gave no key");
          }
          out.emit(in.withKey(newKey));
        };
    Flow<K2, V> rekeyed = transform("keyBy", stage, null);
    PlanNode.Repartition topic =
        new PlanNode.Repartition(job.uniqueName(name), newKeySerde, valueSerde);
    job.add(topic, rekeyed.node, rekeyed.output);
    return new Flow<>(job, job.add(new PlanNode.Source(topic)), 0, newKeySerde);
  }

  /**
   * The latest value of each key as a table; a null value deletes. A message without a key is a
   * dead letter.
   *
   * @param store name of its state, stable for the life of the job
   */
  public Table<K, V> toTable(String store, Serde<V> valueSerde) {
    StoreSpec<K, V> spec = StoreSpec.keyed(store, requireKeyed("toTable"), valueSerde);
    return Table.of(
        spec,
        operator(
                store,
                () -> new TableWriter<>(spec),
                List.of(spec),
                List.of(Change.output()),
                keySerde)
            .asTable());
  }

  /**
   * Each message joined with the table's row of its key, as it is at the message's turn (inputs of
   * a task take turns by timestamp); what has none is dropped. Time and headers stay those of the
   * message. One without a key is a dead letter.
   */
  public <V2, R> Flow<K, R> join(Table<K, V2> table, ValueJoiner<V, V2, R> joiner) {
    return lookup("join", table, new JoinRule<>(joiner, false, false));
  }

  /** As {@link #join(Table, ValueJoiner)}; what has no row is joined with null. */
  public <V2, R> Flow<K, R> leftJoin(Table<K, V2> table, ValueJoiner<V, @Nullable V2, R> joiner) {
    return lookup("leftJoin", table, new JoinRule<>(joiner, true, false));
  }

  private <V2, R> Flow<K, R> lookup(String verb, Table<K, V2> table, JoinRule<V, V2, R> rule) {
    requireKeyed(verb);
    job.requireOwn(verb, table.changed());
    return operator(
        job.nodeName(verb),
        () -> new TableLookup<>(table.view(), rule),
        table.view().stores(),
        List.of(),
        keySerde);
  }

  /**
   * Each pair of messages of equal keys whose times are within the window, once, when the second of
   * them comes. The result has the later time of the two, and headers of the one that came second.
   * Late messages are counted in {@link JobCounts#dropped} and go to {@link JoinWindow#late} and
   * {@link JoinWindow#lateRight} of the result's {@link Processed#side sides}. What waits for
   * partners is kept in stores named {@code NAME} and {@code NAME-timers}, and leaves them with
   * event time. Keys are equal if the records' bytes are, whatever the serdes make of them.
   *
   * @param name unique in the job and stable for its life
   */
  public <V2, R> Processed<K, R> join(
      Flow<K, V2> other,
      JoinWindow window,
      String name,
      Serde<V> valueSerde,
      Serde<V2> otherSerde,
      ValueJoiner<V, V2, R> joiner) {
    JoinRule<V, V2, R> rule = new JoinRule<>(joiner, false, false);
    return pairs("join", other, window, name, valueSerde, otherSerde, rule);
  }

  /**
   * As {@link #join(Flow, JoinWindow, String, Serde, Serde, ValueJoiner)}; a message of this flow
   * that found no partner is joined with null once its wait is over.
   */
  public <V2, R> Processed<K, R> leftJoin(
      Flow<K, V2> other,
      JoinWindow window,
      String name,
      Serde<V> valueSerde,
      Serde<V2> otherSerde,
      ValueJoiner<V, @Nullable V2, R> joiner) {
    JoinRule<V, V2, R> rule = new JoinRule<>(joiner, true, false);
    return pairs("leftJoin", other, window, name, valueSerde, otherSerde, rule);
  }

  /**
   * As {@link #join(Flow, JoinWindow, String, Serde, Serde, ValueJoiner)}; a message of either flow
   * that found no partner is joined with null once its wait is over.
   */
  public <V2, R> Processed<K, R> outerJoin(
      Flow<K, V2> other,
      JoinWindow window,
      String name,
      Serde<V> valueSerde,
      Serde<V2> otherSerde,
      ValueJoiner<@Nullable V, @Nullable V2, R> joiner) {
    JoinRule<V, V2, R> rule = new JoinRule<>(joiner, true, true);
    return pairs("outerJoin", other, window, name, valueSerde, otherSerde, rule);
  }

  private static StoreSpec<byte[], byte[]> timers(String operator) {
    return StoreSpec.timed(operator + "-timers", "timers");
  }

  @SuppressWarnings("unchecked") // nobody looks at what it makes of a key
  private static <K> Serde<K> unread() {
    return (Serde<K>) (Serde<?>) Serdes.ByteArray();
  }

  private <V2, R> Processed<K, R> pairs(
      String verb,
      Flow<K, V2> other,
      JoinWindow window,
      String name,
      Serde<V> valueSerde,
      Serde<V2> otherSerde,
      JoinRule<V, V2, R> rule) {
    job.requireOwn(verb, other);
    StreamJoin.Terms<K, V, V2, R> terms =
        new StreamJoin.Terms<>(
            StoreSpec.joined(name),
            requireKeyed(verb),
            other.requireKeyed(verb),
            valueSerde,
            otherSerde,
            window,
            rule);
    Flow<K, Sided> left = mapValues(value -> new Sided(Sided.Side.LEFT, value));
    Flow<K, Sided> right = other.mapValues(value -> new Sided(Sided.Side.RIGHT, value));
    // The bytes of keys stay as they are, and each side's serde reads its own.
    Flow<K, Sided> both = new Flow<>(job, left.merge(right).node(), 0, unread());
    return both.operator(
        name,
        () -> new StreamJoin<>(terms),
        List.of(terms.store(), timers(name)),
        List.of(JoinWindow.late(), JoinWindow.lateRight()),
        keySerde);
  }

  /**
   * How many messages each key had, those without a value too. A message without a key is a dead
   * letter.
   *
   * @param name of the state, stable for the life of the job
   */
  public Table<K, Long> count(String name) {
    return count(StoreSpec.keyed(name, requireKeyed("count"), Serdes.Long()));
  }

  /** As {@link #count(String)}, in a store of the user's choice. */
  public Table<K, Long> count(StoreSpec<K, Long> store) {
    return aggregated(store, Fold.counting());
  }

  /**
   * All values of each key in one; the first one stands for itself. If the function returns null,
   * the key is deleted and its next message starts anew. A message without a key or value is a dead
   * letter.
   *
   * @param name of the state, stable for the life of the job
   */
  public Table<K, V> reduce(String name, Serde<V> valueSerde, BinaryOperator<V> reducer) {
    return reduce(StoreSpec.keyed(name, requireKeyed("reduce"), valueSerde), reducer);
  }

  /** As {@link #reduce(String, Serde, BinaryOperator)}, in a store of the user's choice. */
  public Table<K, V> reduce(StoreSpec<K, V> store, BinaryOperator<V> reducer) {
    return aggregated(store, Fold.reducing(store.name(), reducer));
  }

  /**
   * Whatever the function makes of the messages of each key; it sees those without a value too. If
   * it returns null, the key is deleted and its next message starts anew. A message without a key
   * is a dead letter.
   *
   * @param name of the state, stable for the life of the job
   */
  public <A> Table<K, A> aggregate(
      String name, Serde<A> aggregateSerde, Supplier<A> initial, Aggregator<K, V, A> aggregator) {
    return aggregate(
        StoreSpec.keyed(name, requireKeyed("aggregate"), aggregateSerde), initial, aggregator);
  }

  /**
   * As {@link #aggregate(String, Serde, Supplier, Aggregator)}, in a store of the user's choice.
   */
  public <A> Table<K, A> aggregate(
      StoreSpec<K, A> store, Supplier<A> initial, Aggregator<K, V, A> aggregator) {
    return aggregated(store, Fold.aggregating(initial, aggregator));
  }

  private <A> Table<K, A> aggregated(StoreSpec<K, A> store, Fold<K, V, A> fold) {
    requireKeyed("aggregate");
    return Table.of(
        store,
        operator(
            store.name(),
            () -> new TableAggregator<>(store, fold),
            List.of(store),
            List.of(Change.output()),
            keySerde));
  }

  /** Cuts the flow into tumbling or hopping windows, to be aggregated by key and window. */
  public WindowedFlow<K, V> window(Windows.Aligned windows) {
    return new WindowedFlow<>(windows, WindowPlan.of(this, requireKeyed("window"), windows));
  }

  /** Cuts the flow into sessions, to be aggregated by key and session. */
  public SessionFlow<K, V> window(Windows.Sessions windows) {
    return new SessionFlow<>(windows, WindowPlan.of(this, requireKeyed("window"), windows));
  }

  /** Both flows' messages in one. */
  public Flow<K, V> merge(Flow<K, V> other) {
    Stage<K, V, K, V> pass = (in, out) -> out.emit(in);
    PlanNode next = new PlanNode.Transform(job.nodeName("merge"), pass);
    job.add(next, node, output);
    job.add(next, other.node, other.output);
    return new Flow<>(job, next, 0, other.keySerde == null ? null : keySerde);
  }

  /** Publishes to a topic, partitioned by key. The topic must exist when the job starts. */
  public void to(String topic, Serde<K> keySerde, Serde<V> valueSerde) {
    job.add(new PlanNode.Sink(job.nodeName("to"), topic, keySerde, valueSerde), node, output);
  }

  PlanNode node() {
    return node;
  }

  @Nullable Serde<K> keySerde() {
    return keySerde;
  }

  /** Whether messages here are made by an operator with one of those stores. */
  boolean comesFrom(List<StoreSpec<?, ?>> stores) {
    return job.upstream(node).stream()
        .anyMatch(before -> before.stores().stream().anyMatch(stores::contains));
  }

  private <K2, V2> Flow<K2, V2> transform(
      String verb, Stage<?, ?, ?, ?> stage, @Nullable Serde<K2> staysKeyed) {
    PlanNode next = job.add(new PlanNode.Transform(job.nodeName(verb), stage), node, output);
    return new Flow<>(job, next, 0, staysKeyed);
  }

  Serde<K> requireKeyed(String verb) {
    if (keySerde == null) {
      throw new IllegalStateException(
          verb
              + " after an operator that may change the key ("
              + node.name()
              + "): state is kept per input partition, and equal keys could meet in different"
              + " partitions. Keep the key (mapValues, filter, flatMapValues), or send the messages"
              + " to the partitions of their new keys with keyBy(...)");
    }
    return keySerde;
  }
}
