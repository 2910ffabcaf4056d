package io.fencepost.streams.test;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Two times: the wall clock moves only when a test says so, that of the worker's deadlines also
 * while the worker waits.
 */
final class VirtualClock implements InstantSource {
  private Instant wall;
  private long elapsedMs;

  VirtualClock(Instant start) {
    this.wall = start;
  }

  @Override
  public Instant instant() {
    return wall;
  }

  void startAt(Instant start) {
    wall = start;
  }

  long elapsedMs() {
    return elapsedMs;
  }

  void pass(long ms) {
    elapsedMs += ms;
  }

  void advance(Duration duration) {
    wall = wall.plus(duration);
    elapsedMs += duration.toMillis();
  }
}
