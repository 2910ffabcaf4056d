package io.fencepost.samples.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A broker in a process of its own, whose CPU time and resident memory the operating system tells.
 * Not thread-safe.
 */
final class BrokerProcess implements Brokers {
  private static final long STOP_TIMEOUT_SECONDS = 20;

  private final Process process;
  private final String bootstrap;
  private final long startedNanos;

  BrokerProcess(Process process, String bootstrap, long startedNanos) {
    this.process = process;
    this.bootstrap = bootstrap;
    this.startedNanos = startedNanos;
  }

  @Override
  public String bootstrap() {
    return bootstrap;
  }

  @Override
  public Duration age() {
    return Duration.ofNanos(System.nanoTime() - startedNanos);
  }

  /** User and system time of the process so far, all threads, JIT and GC included. */
  @Override
  public Duration cpu() {
    return process
        .info()
        .totalCpuDuration()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "this system does not tell the CPU time of process " + process.pid()));
  }

  /** Resident memory in bytes, as the kernel reports it; needs /proc. */
  @Override
  public long residentBytes() {
    return statusBytes("VmRSS:");
  }

  /** The most resident memory that it had so far. */
  long peakBytes() {
    return statusBytes("VmHWM:");
  }

  private long statusBytes(String field) {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    try {
      List<String> lines = Files.readAllLines(status);
      for (String line : lines) {
        if (line.startsWith(field)) {
          return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
        }
      }
      throw new IllegalStateException("no " + field + " in " + status);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + status + "; memory is measured on Linux", e);
    }
  }

  /** As kill -9; returns once the process is gone. */
  void kill() throws InterruptedException {
    if (!process.destroyForcibly().waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("process " + process.pid() + " survives its end");
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
