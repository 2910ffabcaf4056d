package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code fencepost serve} as its script starts it, with the same limits. */
final class ServeProcess implements AutoCloseable {
  private static final String READY = "fencepost ready: ";
  private static final Pattern FLAGS = Pattern.compile("serve\\) flags='([^']*)'");
  private static final Pattern NUMBER = Pattern.compile("\\d+");
  private static final int TICK_MS = 10;

  private final Process process;
  private final Path errors;
  private final String bootstrapServers;

  private ServeProcess(Process process, Path errors, String bootstrapServers) {
    this.process = process;
    this.errors = errors;
    this.bootstrapServers = bootstrapServers;
  }

  /** Returns once it serves the directory; its log goes to a file beside it. */
  static ServeProcess start(Path directory, String... options) throws IOException {
    Path root = Path.of(System.getProperty("fencepost.root"));
    Matcher flags = FLAGS.matcher(Files.readString(root.resolve("fencepost")));
    assertThat(flags.find()).as("the flags of serve in the script").isTrue();
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(List.of(flags.group(1).split(" ")));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), "serve"));
    command.addAll(List.of("--dir", directory.toString()));
    command.addAll(List.of(options));
    Path errors = directory.resolveSibling(directory.getFileName() + ".err");
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
            .start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    assertThat(line).as(Files.readString(errors)).startsWith(READY);
    return new ServeProcess(process, errors, line.substring(READY.length()));
  }

  String bootstrapServers() {
    return bootstrapServers;
  }

  int port() {
    return Integer.parseInt(bootstrapServers.substring(bootstrapServers.lastIndexOf(':') + 1));
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** What it logged as its own faults. */
  List<String> errors() throws IOException {
    try (Stream<String> lines = Files.lines(errors)) {
      return lines.filter(line -> line.contains(" ERROR ") || line.contains("Error:")).toList();
    }
  }

  /** Now, and at most since it began. */
  record Memory(int residentMb, int peakMb) {}

  Memory memory() throws IOException {
    int resident = 0;
    int peak = 0;
    for (String line : Files.readAllLines(proc("status"))) {
      Matcher number = NUMBER.matcher(line);
      if (line.startsWith("VmRSS") && number.find()) {
        resident = Integer.parseInt(number.group()) / 1024;
      } else if (line.startsWith("VmHWM") && number.find()) {
        peak = Integer.parseInt(number.group()) / 1024;
      }
    }
    return new Memory(resident, peak);
  }

  /** Time of processors that it has used. */
  long cpuMs() throws IOException {
    String[] stat = Files.readString(proc("stat")).split(" ");
    return (Long.parseLong(stat[13]) + Long.parseLong(stat[14])) * TICK_MS;
  }

  private Path proc(String file) {
    return Path.of("/proc", Long.toString(process.pid()), file);
  }

  /** SIGTERM; returns the exit code, and fails if there is none in that time. */
  int stop(int seconds) throws InterruptedException {
    assertThat(process.toHandle().destroy()).isTrue();
    assertThat(process.waitFor(seconds, TimeUnit.SECONDS)).as("it stops").isTrue();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
