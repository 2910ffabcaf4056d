package io.fencepost.testkit.kill;

import io.fencepost.testkit.main.JavaProcess;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A complete server in a child process, to be killed at any moment. */
public final class ServerProcess {
  private static final String READY = "ready";
  private static final int STOP_SECONDS = 30;

  private final Process process;
  private final List<String> output;

  private ServerProcess(Process process, List<String> output) {
    this.process = process;
    this.output = output;
  }

  /** Returns once it serves. */
  public static ServerProcess start(Path dir, int port, String... settings) throws IOException {
    List<Object> arguments = new ArrayList<>(List.of(dir, port));
    arguments.addAll(List.of(settings));
    Process process =
        JavaProcess.of(ServerProcess.class, arguments.toArray()).redirectErrorStream(true).start();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    List<String> output = new ArrayList<>();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.equals(READY)) {
        Thread drain = new Thread(() -> lines.lines().forEach(rest -> {}), "server-output");
        drain.setDaemon(true);
        drain.start();
        return new ServerProcess(process, output);
      }
      output.add(line);
    }
    throw new IOException("the server did not start: " + String.join("\n", output));
  }

  /** kill -9. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** SIGTERM; returns the exit code. */
  public int stop() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the server did not stop within " + STOP_SECONDS + " s of SIGTERM");
    }
    return process.exitValue();
  }

  /** What it said before it served. */
  List<String> startOutput() {
    return output;
  }

  public static void main(String[] args) throws InterruptedException {
    FencepostConfig.Builder config =
        FencepostConfig.builder().dir(Path.of(args[0])).port(Integer.parseInt(args[1]));
    for (int i = 2; i < args.length; i += 2) {
      config.set(args[i], args[i + 1]);
    }
    FencepostServer server = FencepostServer.start(config.build());
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    System.out.println(READY);
    Thread.currentThread().join();
  }
}
