package io.fencepost.streams.task;

import io.fencepost.streams.EffectKey;
import io.fencepost.streams.Message;
import io.fencepost.streams.Origin;
import io.fencepost.streams.PlanNode;
import io.fencepost.streams.Processor;
import io.fencepost.streams.ProcessorContext;
import io.fencepost.streams.SideOutput;
import io.fencepost.streams.Store;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.TimedProcessor;
import io.fencepost.streams.Timer;
import io.fencepost.streams.Timers;
import io.fencepost.streams.operators.ClosedWindow;
import io.fencepost.streams.operators.ClosingProcessor;
import io.fencepost.streams.operators.InputKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/** A running {@link Processor}: its stores, its timers, its event time. */
final class ProcessingOperator extends Operator
    implements ProcessorContext<Object, Object>, Timers, InputKey {
  private final PlanNode.Processing node;
  private final TaskContext context;
  private final List<Fan> outputs;
  private final Processor<Object, Object, Object, Object> code;
  private final Map<StoreSpec<?, ?>, BufferedStore> stores = new LinkedHashMap<>();
  private final @Nullable TimerTable timers;
  private final @Nullable ClosingProcessor<?, ?, ?, ?> closing;
  private final int timedTable;
  private final EventTime eventTime;
  private @Nullable Origin firing;

  @SuppressWarnings("unchecked") // Flow checked the types of the chain
  ProcessingOperator(PlanNode.Processing node, TaskContext context, List<Fan> outputs) {
    this.node = node;
    this.context = context;
    this.outputs = outputs;
    this.eventTime = context.newEventTime();
    this.code = (Processor<Object, Object, Object, Object>) node.code().get();
    int timed = -1;
    for (StoreSpec<?, ?> store : node.stores()) {
      int table = context.plan().table(store);
      stores.put(store, new BufferedStore(context, table, store));
      if (store.kind() == StoreSpec.Kind.TIMED) {
        timed = table;
      }
    }
    this.timedTable = timed;
    this.timers = code instanceof TimedProcessor ? new TimerTable(context, timed) : null;
    this.closing = code instanceof ClosingProcessor<?, ?, ?, ?> closer ? closer : null;
    try {
      code.open(this);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new StageFailed(e);
    }
  }

  /** Whether work of it falls due with time. */
  boolean isScheduled() {
    return timers != null || closing != null;
  }

  String name() {
    return node.name();
  }

  @Override
  void accept(Message<Object, Object> message) {
    raiseEventTime(message.timestampMs());
    try {
      code.process(message);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new StageFailed(e);
    }
  }

  private void raiseEventTime(long timeMs) {
    if (timedTable >= 0) {
      context.state().raiseNewest(timedTable, timeMs);
    } else {
      eventTime.raise(timeMs);
    }
  }

  @Override
  public long eventTimeMs() {
    return timedTable >= 0 ? context.state().newestMs(timedTable) : eventTime.nowMs();
  }

  @Override
  public long history() {
    return context.changeOfHistory();
  }

  @Override
  public void countDropped() {
    context.countDropped();
  }

  // ---- timers and windows

  /** The first timer or window that is due; null if none is. */
  @Nullable Due due(Timer.Kind kind, long wallMs) {
    if (closing != null && kind == Timer.Kind.EVENT_TIME) {
      ClosedWindow window = closing.firstClosed();
      return window == null ? null : Due.closing(window);
    }
    long nowMs = kind == Timer.Kind.EVENT_TIME ? eventTimeMs() : wallMs;
    return timers == null ? null : timers.due(kind, nowMs);
  }

  /** Takes it away, fired or not. */
  void drop(Due due) {
    if (due.window() == null) {
      timerTable().cancel(due.kind(), due.key(), due.name());
    } else {
      closer().delete(due.window());
    }
  }

  /** Runs the user's code for what was dropped. */
  void fire(Due due, int partition) {
    firing = origin(due, partition);
    try {
      if (due.window() != null) {
        closer().emit(due.window());
        return;
      }
      Object key = keySerde().deserializer().deserialize(node.name(), due.key());
      ((TimedProcessor<Object, Object, Object, Object>) code)
          .onTimer(new Timer<>(key, due.name(), due.timeMs(), due.kind()));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new StageFailed(e);
    } finally {
      firing = null;
    }
  }

  private Serde<?> keySerde() {
    Serde<?> serde = node.keySerde();
    if (serde == null) {
      throw new IllegalStateException("operator " + node.name() + " has timers and no keys");
    }
    return serde;
  }

  /** Where its messages come from: the operator instead of a topic, its time as offset. */
  Origin origin(Due due, int partition) {
    return new Origin(node.name(), partition, due.timeMs());
  }

  private ClosingProcessor<?, ?, ?, ?> closer() {
    if (closing == null) {
      throw new IllegalStateException("operator " + node.name() + " has no windows");
    }
    return closing;
  }

  private TimerTable timerTable() {
    if (timers == null) {
      throw new IllegalStateException(
          "operator " + node.name() + " sets timers, so it must be a TimedProcessor");
    }
    return timers;
  }

  @Override
  public Timers timers() {
    timerTable();
    return this;
  }

  @Override
  public void atEventTime(String name, long timeMs) {
    timerTable().set(Timer.Kind.EVENT_TIME, key(), name, timeMs);
  }

  @Override
  public void atWallClock(String name, long timeMs) {
    timerTable().set(Timer.Kind.WALL_CLOCK, key(), name, timeMs);
  }

  @Override
  public void cancel(Timer.Kind kind, String name) {
    timerTable().cancel(kind, key(), name);
  }

  @Override
  public byte @Nullable [] inputKey() {
    return context.inputKey();
  }

  private byte[] key() {
    byte[] key = context.inputKey();
    if (key == null) {
      throw new Refused("it has no key, and operator " + node.name() + " sets timers by key");
    }
    return key;
  }

  // ---- outputs and stores

  @Override
  public void emit(Message<Object, Object> message) {
    outputs.get(0).emit(message);
  }

  @Override
  @SuppressWarnings("unchecked") // the flow of the side output has its types
  public <K2, V2> void emit(SideOutput<K2, V2> output, Message<K2, V2> message) {
    outputs.get(node.output(output)).emit((Message<Object, Object>) message);
  }

  @Override
  @SuppressWarnings("unchecked") // the store has the types of its spec
  public <SK, SV> Store<SK, SV> store(StoreSpec<SK, SV> spec) {
    BufferedStore store = stores.get(spec);
    if (store == null) {
      throw new IllegalArgumentException(
          "operator " + node.name() + " was not given the store " + spec.name());
    }
    return (Store<SK, SV>) (Store<?, ?>) store;
  }

  @Override
  public <K2, V2> Message<K2, V2> message(K2 key, V2 value, long timestampMs) {
    Origin origin = firing == null ? context.origin() : firing;
    return new Message<>(key, value, timestampMs, noHeaders(), origin);
  }

  @Override
  public EffectKey effectKey() {
    return context.effectKey(node.name());
  }

  private static Headers noHeaders() {
    return new ConsumerRecord<>("", 0, 0, "", "").headers();
  }
}
