package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Takes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A topic that a job reads, and those that share what it makes of it: of each input record there is
 * at most one output record in all of them together, or in a lane of {@link Takes#SOME} one of each
 * origin.
 */
final class Lane {
  private final Plan plan;
  private final TreeMap<TopicPartition, InputLog> inputs = new TreeMap<>();
  private final List<Read> outputs = new ArrayList<>();
  private @Nullable Verdict silence;
  private @Nullable Verdict twice;
  private @Nullable Verdict stray;

  /** By output: by which it is seen that it has a reader. */
  private final TreeMap<String, Event> looks = new TreeMap<>();

  /** By origin; those that are of no record that was read, or numbered. */
  private final TreeMap<String, Read> named = new TreeMap<>();

  /**
   * What the flows of the history say.
   *
   * @param outputs which input records each takes
   * @param feeders all topics of which each output is made, by this job or another
   */
  record Plan(
      String group, String input, Map<String, Takes> outputs, Map<String, Set<String>> feeders) {
    private boolean takes(Takes takes) {
      return outputs.containsValue(takes);
    }

    /** Whether an output may hold what is made of a record. */
    private boolean mayHold(String output, boolean isAgain) {
      return switch (outputs.getOrDefault(output, Takes.SOME)) {
        case FIRST -> !isAgain;
        case AGAIN -> isAgain;
        case EACH, EITHER, SOME -> true;
      };
    }

    private boolean needsKeys() {
      return takes(Takes.FIRST) || takes(Takes.AGAIN);
    }

    /** Whether a record is owed an output. */
    private boolean owes(boolean isAgain) {
      if (takes(Takes.EACH)) {
        return true;
      }
      return isAgain
          ? takes(Takes.AGAIN) || (takes(Takes.EITHER) && !takes(Takes.FIRST))
          : takes(Takes.FIRST) || takes(Takes.EITHER);
    }
  }

  private Lane(Plan plan) {
    this.plan = plan;
  }

  static Lane of(Plan plan, CommittedLogs logs, Collection<OffsetSeen> committed) {
    Lane lane = new Lane(plan);
    for (OffsetSeen seen : committed) {
      lane.inputs.put(seen.partition(), new InputLog(logs.of(seen.partition()), seen));
    }
    for (List<Read> log : logs.of(plan.input)) {
      lane.inputs.computeIfAbsent(log.get(0).partition(), p -> new InputLog(log, null));
    }
    if (committed.isEmpty()) {
      lane.silence =
          new Verdict.Vacuous(
              "there is no 'committed_offset' of group %s in %s".formatted(plan.group, plan.input));
    }
    if (plan.needsKeys()) {
      lane.markAgain();
    }
    for (String topic : plan.outputs.keySet()) {
      for (List<Read> log : logs.of(topic)) {
        log.forEach(lane::note);
      }
      Event look = logs.lookAt(topic);
      if (look != null) {
        lane.looks.put(topic, look);
      }
    }
    if (lane.silence == null && lane.looks.isEmpty()) {
      lane.silence = nobodyRead(plan.outputs.keySet().iterator().next());
    }
    return lane;
  }

  private static Verdict nobodyRead(String topic) {
    return new Verdict.Vacuous("no read_committed reader of " + topic);
  }

  private void markAgain() {
    for (InputLog log : inputs.values()) {
      Read keyless = log.markAgain();
      if (keyless != null) {
        isSilentFor(keyless, "no key");
      }
    }
  }

  private void isSilentFor(Read read, String lacks) {
    if (silence == null) {
      silence =
          new Verdict.Unknown(
              "a record of %s says %s".formatted(read.partition().topic(), lacks), List.of(read));
    }
  }

  private void note(Read output) {
    String text = Content.of(output).origin();
    if (text.isEmpty()) {
      isSilentFor(output, "no origin");
      return;
    }
    Set<String> feeders = plan.feeders.getOrDefault(output.partition().topic(), new TreeSet<>());
    Origin origin = Origin.parse(text, feeders.size() == 1 ? plan.input : null);
    if (origin != null
        && !origin.partition().topic().equals(plan.input)
        && feeders.contains(origin.partition().topic())) {
      return;
    }
    outputs.add(output);
    InputLog log = origin == null ? null : inputs.get(origin.partition());
    int index = log == null || origin == null ? -1 : log.indexOf(origin.offset());
    Read before = log == null || index < 0 ? null : log.note(index, output);
    if (log == null || index < 0 || plan.takes(Takes.SOME)) {
      before = named.putIfAbsent(text, output);
    }
    if (before != null && twice == null) {
      twice = Verdict.broken("two were made of " + text, before, output);
    }
    if (stray == null && (log == null || !log.isCommitted(index))) {
      stray =
          Verdict.unfinished(
              "it was made of %s, which is no record of %s that was read below a committed offset"
                  .formatted(text, plan.input),
              log == null ? new Event[] {output} : log.withCommitted(output));
    }
  }

  /** Why nothing can be said of this lane; null if something can. */
  @Nullable Verdict silence() {
    return silence;
  }

  Collection<InputLog> inputs() {
    return inputs.values();
  }

  /** What was made of this input, and what names a record that is not of it. */
  List<Read> outputs() {
    return outputs;
  }

  Takes takes(Read output) {
    return plan.outputs.getOrDefault(output.partition().topic(), Takes.SOME);
  }

  /** Whether each record of the input has one output. */
  boolean isWhole() {
    return plan.owes(false) && plan.owes(true);
  }

  long occasions() {
    return inputs.values().stream()
        .mapToLong(log -> plan.takes(Takes.SOME) ? log.madeCount() : log.committedRecords().size())
        .sum();
  }

  /**
   * Two outputs of one input record, one that has none as far as was read, or an output of none;
   * null if none is.
   */
  @Nullable Verdict mismatch() {
    if (twice != null) {
      return twice;
    }
    for (InputLog log : inputs.values()) {
      for (int i = 0; log.isCommitted(i); i++) {
        if (log.made(i) == null && plan.owes(log.isAgain(i))) {
          return unmade(log, i);
        }
      }
    }
    return stray;
  }

  private Verdict unmade(InputLog log, int index) {
    List<Event> witness = new ArrayList<>(List.of(log.withCommitted(log.record(index))));
    for (String topic : plan.outputs.keySet()) {
      Event look = looks.get(topic);
      if (!plan.mayHold(topic, log.isAgain(index))) {
        continue;
      }
      if (look == null) {
        return nobodyRead(topic);
      }
      witness.add(look);
    }
    return Verdict.unfinished(
        "nothing was made of it, and its offset is committed", witness.toArray(Event[]::new));
  }

  /** An output that is not what is made of its input; null if there is none. */
  @Nullable Verdict misfit() {
    for (InputLog log : inputs.values()) {
      for (int i = 0; i < log.size(); i++) {
        Read made = log.made(i);
        Verdict verdict = made == null ? null : misfit(log, i, made);
        if (verdict != null) {
          return verdict;
        }
      }
    }
    return null;
  }

  private @Nullable Verdict misfit(InputLog log, int index, Read made) {
    Takes takes = takes(made);
    Read input = log.record(index);
    if (takes == Takes.FIRST && log.isAgain(index)) {
      return Verdict.broken(
          "this is not what is made of it after the first", log.firstWithKeyOf(index), input, made);
    }
    boolean isEarly = takes == Takes.AGAIN && !log.isAgain(index);
    return isEarly || !Content.of(made).agreesWith(Content.of(input))
        ? Verdict.missing("this is not what is made of it", input, made)
        : null;
  }
}
