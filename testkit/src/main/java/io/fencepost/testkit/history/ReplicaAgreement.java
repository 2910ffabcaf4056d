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
  public Verdict check(History history) {
    List<FileFinding> findings = history.all(FileFinding.class);
    if (!findings.isEmpty()) {
      return new Verdict.Fail(findings.size() + " findings, first: " + findings.get(0).sentence());
    }
    return Verdict.passed(
        history.all(FilesChecked.class).stream().mapToLong(FilesChecked::batchCount).sum());
  }
}
