package io.fencepost.streams.test;

import io.fencepost.streams.JobEnd;

/** A job under test ended by itself; a real one would have stopped with the same {@link JobEnd}. */
@SuppressWarnings("serial") // as any exception of a test, it is not sent anywhere
public final class JobEndedException extends RuntimeException {
  private final JobEnd end;

  JobEndedException(String job, JobEnd end) {
    super("job " + job + " ended: " + end.reason() + " " + end.detail(), end.cause());
    this.end = end;
  }

  public JobEnd end() {
    return end;
  }
}
