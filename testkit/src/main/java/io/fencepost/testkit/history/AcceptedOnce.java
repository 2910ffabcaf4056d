package io.fencepost.testkit.history;

import java.util.TreeSet;

/** P4: each key is accepted exactly once; accepted and duplicates together are the input. */
public final class AcceptedOnce implements Check {
  @Override
  public String id() {
    return "P4";
  }

  @Override
  public Verdict check(History history) {
    Pipeline pipeline = Pipeline.of(history);
    TreeSet<String> accepted = new TreeSet<>();
    for (Posting posting : pipeline.output(Pipeline.ACCEPTED)) {
      if (!accepted.add(posting.key().toString())) {
        return new Verdict.Fail("accepted twice: " + posting);
      }
    }
    long inputCount = 0;
    for (var log : pipeline.input().values()) {
      for (Posting posting : log.values()) {
        inputCount++;
        if (!accepted.contains(posting.key().toString())) {
          return new Verdict.Fail("never accepted: " + posting);
        }
      }
    }
    int duplicateCount = pipeline.output(Pipeline.DUPLICATES).size();
    return accepted.size() + duplicateCount == inputCount
        ? Verdict.passed(inputCount)
        : new Verdict.Fail(
            "%d accepted and %d duplicates of %d"
                .formatted(accepted.size(), duplicateCount, inputCount));
  }
}
