package io.fencepost.samples.labs;

import io.fencepost.samples.client.Session;
import io.fencepost.samples.report.LabReport;

/** x. */
public final class ExactRetryLab {
  public ExactRetryLab(Session s, String r) {}
  public LabReport run() { throw new IllegalStateException(); }
}
