package io.fencepost.samples.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.StringTokenizer;

/** What else ran while something was measured, as the kernel tells; needs /proc. */
final class Machine {
  private static final Path STAT = Path.of("/proc/stat");

  /** User, nice, system, idle, waiting for disks, interrupts, soft interrupts, stolen. */
  private static final int COUNTERS = 8;

  private static final int IDLE = 3;
  private static final int WAITING = 4;

  private Machine() {}

  /**
   * A moment.
   *
   * @param busyTicks that all cores worked since the machine started, for whom ever, time stolen by
   *     a hypervisor included
   * @param allTicks that passed on all cores
   * @param ownCpu of this JVM
   */
  record Mark(long busyTicks, long allTicks, Duration ownCpu) {}

  /** What the kernel counts now. */
  static Mark mark() {
    return parse(firstLine(), ownCpu());
  }

  /**
   * The share of all cores' time, in percent, that neither this JVM nor the measured processes took
   * since the mark.
   */
  static double othersPercent(Mark since, Duration measuredCpu, Duration wall) {
    return othersPercent(since, mark(), measuredCpu, wall, cores());
  }

  static double othersPercent(
      Mark begin, Mark end, Duration measuredCpu, Duration wall, int cores) {
    long ticks = Math.max(1, end.allTicks() - begin.allTicks());
    double busy = (double) (end.busyTicks() - begin.busyTicks()) / ticks;
    Duration ours = measuredCpu.plus(end.ownCpu()).minus(begin.ownCpu());
    double share = busy - (double) ours.toNanos() / cores / Math.max(1, wall.toNanos());
    return Math.max(0, 100 * share);
  }

  static Mark parse(String line, Duration ownCpu) {
    StringTokenizer fields = new StringTokenizer(line);
    if (!"cpu".equals(fields.nextToken())) {
      throw new IllegalStateException(STAT + " begins with '" + line + "', not with cpu");
    }
    long busy = 0;
    long all = 0;
    for (int i = 0; i < COUNTERS && fields.hasMoreTokens(); i++) {
      long ticks = Long.parseLong(fields.nextToken());
      all += ticks;
      busy += i == IDLE || i == WAITING ? 0 : ticks;
    }
    return new Mark(busy, all, ownCpu);
  }

  /** Runnable tasks in the mean of the last minute. */
  static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /** One line for the foot of a report. */
  static String describe() {
    return String.format(
        Locale.ROOT,
        "%d cores, load %.1f at the end, Java %s",
        cores(),
        load(),
        System.getProperty("java.version"));
  }

  private static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }

  private static Duration ownCpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static String firstLine() {
    try (var lines = Files.lines(STAT)) {
      return lines.findFirst().orElse("");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + STAT + "; benchmarks need Linux", e);
    }
  }
}
