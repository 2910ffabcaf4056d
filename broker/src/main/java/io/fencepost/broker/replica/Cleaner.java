package io.fencepost.broker.replica;

import io.fencepost.broker.log.Compaction;
import io.fencepost.broker.log.Dirt;
import io.fencepost.broker.log.KeyOffsets;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.wire.TopicPartition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Compacts this broker's partitions, one at a time, the dirtiest first, in small slices on the
 * scheduler's threads. So its memory is that of one {@link KeyOffsets}, and forces and answers
 * never wait for long. A partition that cannot be compacted is left alone for a while.
 *
 * <p>Thread-safe: at most one slice or look-out is scheduled at any time.
 */
public final class Cleaner {
  private static final long RETRY_NANOS = 60_000L * 1_000_000;

  /**
   * @param backoffMs how long to sleep when nothing is worth compacting
   * @param mapBytes memory for the newest offsets of keys; more keys take several runs
   */
  public record Settings(long backoffMs, long mapBytes) {}

  private final Replicas replicas;
  private final Clock clock;
  private final Scheduler scheduler;
  private final Settings settings;
  private final Consumer<String> notices;
  private final KeyOffsets newest;

  /** When partitions that failed may be tried again. */
  private final TreeMap<TopicPartition, Long> retryAtNanos = new TreeMap<>();

  private Scheduler.@Nullable Timer timer;
  private boolean stopped;

  private record Candidate(PartitionGate gate, Dirt dirt) {
    /** Overdue ones come first. */
    double urgency() {
      return dirt.ratio() + (dirt.isOverdue() ? 1 : 0);
    }
  }

  /**
   * @param notices what an operator should know
   */
  public Cleaner(
      Replicas replicas,
      Clock clock,
      Scheduler scheduler,
      Settings settings,
      Consumer<String> notices) {
    this.replicas = replicas;
    this.clock = clock;
    this.scheduler = scheduler;
    this.settings = settings;
    this.notices = notices;
    this.newest = new KeyOffsets(settings.mapBytes());
  }

  public void start() {
    sleep();
  }

  /** The slice that is running ends; none follows. */
  public synchronized void stop() {
    stopped = true;
    if (timer != null) {
      timer.cancel();
    }
  }

  private synchronized void sleep() {
    if (!stopped) {
      timer = scheduler.after(settings.backoffMs(), this::look);
    }
  }

  private synchronized boolean isStopped() {
    return stopped;
  }

  private void look() {
    boolean goesOn = false;
    try {
      goesOn = !isStopped() && begin();
    } finally {
      if (!goesOn) {
        sleep();
      }
    }
  }

  private boolean begin() {
    List<Candidate> candidates = new ArrayList<>();
    for (PartitionGate gate : replicas.all()) {
      Long retryAt = retryAtNanos.get(gate.topicPartition());
      if (retryAt == null || retryAt - clock.monotonicNanos() <= 0) {
        Dirt dirt = gate.compaction().worthwhile(Long.MAX_VALUE);
        if (dirt != null) {
          candidates.add(new Candidate(gate, dirt));
        }
      }
    }
    candidates.sort(Comparator.comparingDouble(Candidate::urgency).reversed());
    for (Candidate candidate : candidates) {
      PartitionGate gate = candidate.gate();
      try {
        Compaction run = gate.compaction().begin(newest);
        if (run != null) {
          scheduler.run(() -> slice(gate, run));
          return true;
        }
      } catch (DiskException e) {
        failed(gate, e);
      }
    }
    return false;
  }

  private void slice(PartitionGate gate, Compaction run) {
    boolean goesOn = false;
    try {
      if (isStopped()) {
        return;
      }
      if (!run.step()) {
        gate.compaction().settle(run);
      }
      retryAtNanos.remove(gate.topicPartition());
      goesOn = true;
    } catch (DiskException e) {
      failed(gate, e);
    } finally {
      if (!goesOn) {
        gate.compaction().abandon(run);
        sleep();
      }
    }
    if (goesOn) {
      scheduler.run(run.isDone() ? this::look : () -> slice(gate, run));
    }
  }

  private void failed(PartitionGate gate, DiskException why) {
    if (replicas.find(gate.topicPartition()) == gate) {
      retryAtNanos.put(gate.topicPartition(), clock.monotonicNanos() + RETRY_NANOS);
      notices.accept(
          gate.topicPartition() + " is not compacted, will try again: " + why.getMessage());
    }
  }
}
