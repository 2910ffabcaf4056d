package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.FileFinding;
import io.fencepost.testkit.history.Event.FilesChecked;
import java.util.List;

/** L8: replicas are byte-equal, and the files of each stopped broker agree with each other. */
public final class ReplicaAgreement implements Check {
  @Override
  public String id() {
    return "L8";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(FilesChecked.class);
  }

  @Override
  public String occasions() {
    return "batches in checked files";
  }

  @Override
  public Verdict check(History history) {
    List<FileFinding> findings = history.all(FileFinding.class);
    if (!findings.isEmpty()) {
      return Verdict.broken(
          findings.size() == 1
              ? "a finding"
              : "the first of %d findings".formatted(findings.size()),
          findings.get(0));
    }
    return Verdict.passed(
        history.all(FilesChecked.class).stream().mapToLong(FilesChecked::batchCount).sum());
  }
}
