package io.fencepost.testkit.prove.main;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link JobHost} process as its parent sees it. Safe to use from any thread. */
final class HostedJob {
  /** What stands still does not see that its parent is gone: wakes it up, then it does. */
  private static final String GUARD =
      "trap '' INT TERM HUP; (while kill -0 $0 && kill -0 $1; do sleep 1; done; kill -CONT $0) &";

  private static final long EXIT_SECONDS = 10;

  private final Process process;
  private final BufferedWriter orders;
  private volatile @Nullable Listener listener;
  private volatile boolean isKilled;
  private volatile boolean isSilent;
  private boolean isGuarded;

  /** Hears what the process says, on a thread of its own. */
  interface Listener {
    /** The answer to {@link HostedJob#describe}, unless the job has {@link #ended}. */
    default void described(JobShape shape) {}

    /** The job has ended, with its process or without; it may be told twice. */
    void ended(boolean isClean, String detail);

    void committed(long records);

    void failed(String worker, String failure, String exception);

    /** Returns what to answer: empty to go on, {@code fail}, or null for nothing at all. */
    @Nullable String step(String point, String worker, String topic, int partition);
  }

  private HostedJob(Process process) {
    this.process = process;
    this.orders =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    Thread thread = new Thread(this::listen, "job-host-" + process.pid());
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Launches a process without a job.
   *
   * @param classPath what the job needs beside the class path of this process; may be empty
   * @param prints takes what the job prints
   */
  static HostedJob launch(String classPath, ProcessBuilder.Redirect prints) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("-XX:SharedArchiveFile"))
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(JobHost.class.getName(), classPath));
    try {
      return new HostedJob(new ProcessBuilder(command).redirectError(prints).start());
    } catch (IOException e) {
      throw new UncheckedIOException("the job's process cannot be started", e);
    }
  }

  /** Defines the job and does not start it. */
  void describe(String jobClass, Listener heard) {
    ask(heard, "describe", jobClass);
  }

  void start(
      String jobClass, SortedSet<String> watched, Map<String, String> settings, Listener heard) {
    List<Object> words = new ArrayList<>(List.of("start", jobClass, String.join(",", watched)));
    settings.forEach(
        (key, value) -> {
          words.add(key);
          words.add(value);
        });
    ask(heard, words.toArray());
  }

  /** An order that is answered, if only by the end of a process that was gone before. */
  private void ask(Listener heard, Object... words) {
    listener = heard;
    order(words);
    if (isSilent) {
      tellGone();
    }
  }

  /** The job is to end in order; {@link Listener#ended} says when. */
  void stop() {
    order("stop");
  }

  private void order(Object... words) {
    try {
      synchronized (orders) {
        orders.write(Wording.line(words));
        orders.newLine();
        orders.flush();
      }
    } catch (IOException e) {
      // Who listens to it hears that it is gone.
      return;
    }
  }

  private void listen() {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Listener heard = listener;
        if (heard != null) {
          hear(line, heard);
        }
      }
    } catch (IOException e) {
      return;
    } finally {
      isSilent = true;
      tellGone();
    }
  }

  /** Of what was not killed, as a job that exits or is out of memory. */
  private void tellGone() {
    Listener heard = listener;
    if (heard != null && !isKilled) {
      heard.ended(false, "its process ended by itself" + exitCode());
    }
  }

  private String exitCode() {
    try {
      return process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)
          ? " with exit code " + process.exitValue()
          : "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  private void hear(String line, Listener heard) {
    List<String> words = Wording.words(line);
    switch (words.get(0)) {
      case "described" -> {
        int inputsEnd = 3 + Integer.parseInt(words.get(2));
        heard.described(
            new JobShape(
                words.get(1), words.subList(3, inputsEnd), words.subList(inputsEnd, words.size())));
      }
      case "ended" -> heard.ended(Boolean.parseBoolean(words.get(1)), words.get(2));
      case "committed" -> heard.committed(Long.parseLong(words.get(1)));
      case "failed" -> heard.failed(words.get(1), words.get(2), words.get(3));
      case "step" -> {
        String answer =
            heard.step(words.get(2), words.get(3), words.get(4), Integer.parseInt(words.get(5)));
        if (answer != null) {
          order("go", words.get(1), answer);
        }
      }
      default -> {}
    }
  }

  /** Nothing is heard from it any more. */
  void release() {
    listener = null;
  }

  /** Kill -9. */
  void kill() {
    isKilled = true;
    listener = null;
    process.destroyForcibly();
    try {
      process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Its threads stand still until {@link #resume}, or until this process is gone. */
  void pause() {
    if (!isGuarded) {
      isGuarded = true;
      shell(GUARD, process.pid(), ProcessHandle.current().pid());
    }
    shell("kill -STOP $0", process.pid());
  }

  void resume() {
    shell("kill -CONT $0", process.pid());
  }

  private static void shell(String script, Object... arguments) {
    List<String> command = new ArrayList<>(List.of("sh", "-c", script));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    try {
      new ProcessBuilder(command)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException("a process can be paused where there is a shell only", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return !isKilled && !isSilent && process.isAlive();
  }
}
