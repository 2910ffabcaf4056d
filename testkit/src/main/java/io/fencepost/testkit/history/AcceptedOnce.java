package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Read;
import java.util.LinkedHashMap;
import java.util.List;

/** P4: each key is accepted exactly once; accepted and duplicates together are the input. */
public final class AcceptedOnce implements Check {
  @Override
  public String id() {
    return "P4";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Read.class, OffsetSeen.class);
  }

  @Override
  public String occasions() {
    return "payments below the committed offset";
  }

  @Override
  public Verdict check(History history) {
    Pipeline pipeline = Pipeline.of(history);
    if (pipeline.stranger() != null) {
      return pipeline.noPosting();
    }
    LinkedHashMap<Posting.Key, Pipeline.Entry> accepted = new LinkedHashMap<>();
    for (Pipeline.Entry entry : pipeline.output(Pipeline.ACCEPTED)) {
      Pipeline.Entry before = accepted.putIfAbsent(entry.posting().key(), entry);
      if (before != null) {
        return Verdict.broken(
            entry.posting().key() + " was accepted twice", before.read(), entry.read());
      }
    }
    long inputCount = 0;
    for (var log : pipeline.input().values()) {
      for (Pipeline.Entry entry : log.values()) {
        inputCount++;
        if (!accepted.containsKey(entry.posting().key())) {
          return Verdict.unfinished(
              entry.posting().key() + " was never accepted",
              entry.read(),
              pipeline.committed(entry.read().partition()));
        }
      }
    }
    int duplicateCount = pipeline.output(Pipeline.DUPLICATES).size();
    if (accepted.size() + duplicateCount != inputCount) {
      Verdict mismatch = pipeline.mismatch();
      if (mismatch != null) {
        return mismatch;
      }
    }
    return Verdict.passed(inputCount);
  }
}
