package io.fencepost.broker.port.sim;

import io.fencepost.broker.port.Clock;
import java.util.ArrayList;
import java.util.List;

/**
 * The last events of a run in a ring, to be printed when it fails, and a hash of all its events:
 * two runs of one seed must end with the same hash. Not thread-safe.
 */
public final class Trace {
  private static final int DEFAULT_CAPACITY = 200;

  private final Clock clock;
  private final long startNanos;
  private final String[] ring;
  private long eventCount;
  private long hash = 0xcbf29ce484222325L;

  public Trace(Clock clock) {
    this(clock, DEFAULT_CAPACITY);
  }

  public Trace(Clock clock, int capacity) {
    this.clock = clock;
    this.startNanos = clock.monotonicNanos();
    this.ring = new String[capacity];
  }

  /** Adds one event, stamped with the time since the trace began. */
  public void add(String event) {
    long elapsedMicros = (clock.monotonicNanos() - startNanos) / 1000;
    String line = elapsedMicros / 1000 + "." + elapsedMicros % 1000 / 100 + " ms  " + event;
    ring[(int) (eventCount++ % ring.length)] = line;
    for (int i = 0; i < line.length(); i++) {
      hash = (hash ^ line.charAt(i)) * 0x100000001b3L;
    }
  }

  /** Over all events since the beginning, also those that left the ring. */
  public long hash() {
    return hash;
  }

  /** The newest events, oldest first. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (long i = Math.max(0, eventCount - ring.length); i < eventCount; i++) {
      lines.add(ring[(int) (i % ring.length)]);
    }
    return lines;
  }

  @Override
  public String toString() {
    return String.join("\n", lines());
  }
}
