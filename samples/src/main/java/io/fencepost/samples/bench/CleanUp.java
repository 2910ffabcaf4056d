package io.fencepost.samples.bench;

import io.fencepost.testkit.main.TemporaryDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a run must not leave behind, however it ends: its processes and its directory. Closing it
 * kills all that still run, with their children, and removes the directory; so does the end of the
 * JVM, by Ctrl-C too. Thread-safe.
 */
final class CleanUp implements AutoCloseable {
  private static final long KILL_TIMEOUT_SECONDS = 20;

  private final TemporaryDirectory directory = TemporaryDirectory.create("fencepost-bench");
  private final List<Process> processes = new ArrayList<>();
  private final Thread hook = new Thread(this::removeAll, "bench-clean-up");
  private boolean isClosed;

  CleanUp() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Where processes may write; goes with all that is in it. */
  Path directory() {
    return directory.path();
  }

  /** Starts a process that does not outlive this one. */
  synchronized Process launch(ProcessBuilder command) throws IOException {
    if (isClosed) {
      throw new IllegalStateException("the benchmark is ending: nothing is started any more");
    }
    Process process = command.start();
    processes.removeIf(it -> !it.isAlive());
    processes.add(process);
    return process;
  }

  @Override
  public void close() {
    removeAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM ends, and the hook has done or will do the same.
    }
  }

  private synchronized void removeAll() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    for (Process process : processes) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    boolean isInterrupted = false;
    for (Process process : processes) {
      try {
        process.waitFor(KILL_TIMEOUT_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    directory.close();
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
