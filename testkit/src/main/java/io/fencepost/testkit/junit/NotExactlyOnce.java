package io.fencepost.testkit.junit;

import org.opentest4j.AssertionFailedError;

/** That a job is not shown to be exactly once; what is left of its run is kept already. */
final class NotExactlyOnce extends AssertionFailedError {
  private static final long serialVersionUID = 1;

  NotExactlyOnce(String message) {
    super(message);
  }
}
