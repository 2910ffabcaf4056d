package io.fencepost.streams.task;

import io.fencepost.streams.EffectKey;
import io.fencepost.streams.Origin;
import io.fencepost.streams.store.ChangeBatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the operators of one task share while one input record runs through them. */
final class TaskContext {
  private final TaskPlan plan;
  private final List<Gateway.Output> outputs = new ArrayList<>();
  private @Nullable StateBuffer state;
  private byte @Nullable [] inputKey;
  private Origin origin = new Origin("", 0, 0);
  private @Nullable List<Runnable> putOff;
  private final List<Operator.PendingEffect> effects = new ArrayList<>();
  private final Map<String, Integer> effectCounts = new LinkedHashMap<>();
  private final List<EventTime> eventTimes = new ArrayList<>();
  private String timer = "";
  private int duplicates;
  private int dropped;
  private long changeOfHistory;

  TaskContext(TaskPlan plan) {
    this.plan = plan;
  }

  TaskPlan plan() {
    return plan;
  }

  StateBuffer state() {
    if (state == null) {
      throw new IllegalStateException("a task without open stores was asked for state");
    }
    return state;
  }

  void open(@Nullable StateBuffer buffer) {
    this.state = buffer;
    changeOfHistory++;
  }

  /** Drops what the open transaction wrote. */
  void dropChanges() {
    if (state != null) {
      state.drop();
    }
    eventTimes.forEach(EventTime::drop);
    changeOfHistory++;
  }

  /**
   * After the commit: what was buffered is stored.
   *
   * @param positions as {@link StateBuffer#apply}
   * @param before as {@link StateBuffer#apply}
   */
  void applyChanges(long[] positions, ChangeBatch before) {
    if (state != null) {
      state.apply(positions, before);
    }
    eventTimes.forEach(EventTime::commit);
  }

  /** For an operator that keeps its event time in no table. */
  EventTime newEventTime() {
    EventTime eventTime = new EventTime();
    eventTimes.add(eventTime);
    return eventTime;
  }

  /** Another number after each time that writes were taken back: what was derived is stale then. */
  long changeOfHistory() {
    return changeOfHistory;
  }

  void startInput(byte @Nullable [] key, Origin newOrigin) {
    inputKey = key;
    origin = newOrigin;
    timer = "";
    effectCounts.clear();
    clearInput();
    if (state != null) {
      state.mark();
    }
    eventTimes.forEach(EventTime::mark);
  }

  /** Looks at an input ahead of its turn: what has effects is collected there. */
  void lookAt(byte @Nullable [] key, Origin newOrigin, List<Runnable> effects) {
    inputKey = key;
    origin = newOrigin;
    putOff = effects;
  }

  /** Keeps that for the turn of the input at hand. */
  void putOff(Runnable effect) {
    if (putOff == null) {
      throw new IllegalStateException("an input was not looked at ahead");
    }
    putOff.add(effect);
  }

  /** A timer in the place of an input; its origin is that of {@link ProcessingOperator}. */
  void startTimer(Due due, Origin newOrigin) {
    startInput(due.key(), newOrigin);
    timer = due.digest();
  }

  private void clearInput() {
    outputs.clear();
    effects.clear();
    duplicates = 0;
    dropped = 0;
  }

  /** As if the input had never run. */
  void undoInput() {
    clearInput();
    if (state != null) {
      state.undo();
    }
    eventTimes.forEach(EventTime::undo);
    changeOfHistory++;
  }

  /** Where the input at hand stands. */
  Origin origin() {
    return origin;
  }

  byte @Nullable [] inputKey() {
    return inputKey;
  }

  void output(Gateway.Output output) {
    refuseIfTooLarge(output.topic(), RecordSize.of(output));
    outputs.add(output);
  }

  /** A record that no request can carry would fail the whole transaction, again and again. */
  void refuseIfTooLarge(String topic, long bytes) {
    if (bytes > plan.maxRecordBytes()) {
      throw new Operator.Refused(
          "its record for topic "
              + topic
              + " takes "
              + bytes
              + " bytes, above producer.max.request.size="
              + plan.maxRecordBytes());
    }
  }

  List<Gateway.Output> outputs() {
    return outputs;
  }

  /** The key of the next effect of that operator for the input at hand. */
  EffectKey effectKey(String operator) {
    if (origin.topic().isEmpty()) {
      throw new IllegalStateException("operator " + operator + " has no input yet to name it by");
    }
    int index = effectCounts.merge(operator, 1, Integer::sum) - 1;
    return new EffectKey(plan.applicationId(), operator, origin, timer, index);
  }

  void effect(Operator.PendingEffect effect) {
    effects.add(effect);
  }

  /** What is to be had outside once the whole input went well, in the order of the messages. */
  List<Operator.PendingEffect> effects() {
    return effects;
  }

  void countDuplicate() {
    duplicates++;
  }

  int duplicates() {
    return duplicates;
  }

  void countDropped() {
    dropped++;
  }

  int dropped() {
    return dropped;
  }
}
