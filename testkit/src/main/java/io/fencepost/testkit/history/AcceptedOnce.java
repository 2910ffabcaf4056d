package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Flow;
import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Takes;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * P4: of each key there is one output where only the first is taken, and elsewhere one of each
 * record that is owed one.
 */
public final class AcceptedOnce implements Check {
  @Override
  public String id() {
    return "P4";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Flow.class, Read.class, OffsetSeen.class);
  }

  @Override
  public String occasions() {
    return "records of the input below its committed offset";
  }

  @Override
  public Verdict check(History history) {
    return history.lanes().check(AcceptedOnce::check);
  }

  private static Verdict check(Lane lane) {
    Verdict ofKeys = ofKeys(lane);
    Verdict verdict = ofKeys == null ? lane.mismatch() : ofKeys;
    return verdict == null ? Verdict.passed(lane.occasions()) : verdict;
  }

  private static @Nullable Verdict ofKeys(Lane lane) {
    TreeMap<String, Read> first = new TreeMap<>();
    for (Read output : lane.outputs()) {
      String key = Content.of(output).key();
      Read before =
          lane.takes(output) == Takes.FIRST && !key.isEmpty()
              ? first.putIfAbsent(key, output)
              : null;
      if (before != null) {
        return Verdict.broken(key + " was put out twice", before, output);
      }
    }
    return null;
  }
}
