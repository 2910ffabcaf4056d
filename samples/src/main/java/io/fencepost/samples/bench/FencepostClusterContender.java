package io.fencepost.samples.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Fencepost's brokers in one process that kills any of them when it is told to. */
final class FencepostClusterContender implements ClusterContender {
  private final CleanUp cleanUp;

  /**
   * @param cleanUp ends the process if nobody else does
   */
  FencepostClusterContender(CleanUp cleanUp) {
    this.cleanUp = cleanUp;
  }

  @Override
  public String name() {
    return "Fencepost";
  }

  @Override
  public Cluster start(Path directory) throws IOException {
    Path log = directory.resolve("cluster.log");
    long started = System.nanoTime();
    Process process =
        cleanUp.launch(
            new ProcessBuilder(
                    List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ClusterApp.class.getName(),
                        String.valueOf(BROKERS),
                        directory.resolve("data").toString()))
                .redirectError(log.toFile()));
    @SuppressWarnings("StreamResourceLeak") // lives as long as the process
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    if (line == null || !line.startsWith(ClusterApp.READY)) {
      process.destroyForcibly();
      throw new IllegalStateException("the cluster did not get ready: " + Files.readString(log));
    }
    return new OneProcessCluster(
        new BrokerProcess(process, line.substring(ClusterApp.READY.length()), started),
        process.outputWriter(StandardCharsets.UTF_8),
        out);
  }
}
