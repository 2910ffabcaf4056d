package io.fencepost.samples.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code fencepost serve} in a process of its own, launched as a user launches it. */
final class FencepostContender implements Contender {
  private static final String READY = "fencepost ready: ";

  private final Path root;
  private final String name;
  private final List<String> options;
  private final CleanUp cleanUp;

  private FencepostContender(Path root, String name, List<String> options, CleanUp cleanUp) {
    this.root = root;
    this.name = name;
    this.options = options;
    this.cleanUp = cleanUp;
  }

  /**
   * One broker.
   *
   * @param root the directory that holds the {@code fencepost} script
   * @param flush the durability of the run: {@code os} or {@code group}
   * @param cleanUp ends the broker if nobody else does
   */
  static FencepostContender broker(Path root, String flush, CleanUp cleanUp) {
    return new FencepostContender(
        root, "Fencepost (flush=" + flush + ")", List.of("--set", "flush=" + flush), cleanUp);
  }

  /** Several brokers with their defaults, in one process. */
  static FencepostContender cluster(Path root, int brokers, CleanUp cleanUp) {
    return new FencepostContender(
        root, "Fencepost", List.of("--brokers", String.valueOf(brokers)), cleanUp);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public BrokerProcess start(Path directory) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(root.resolve("fencepost").toString());
    command.addAll(List.of("serve", "--port", "0", "--dir", directory.resolve("data").toString()));
    command.addAll(options);
    long started = System.nanoTime();
    Process process =
        cleanUp.launch(
            new ProcessBuilder(command).redirectError(directory.resolve("fencepost.log").toFile()));
    @SuppressWarnings("StreamResourceLeak") // lives as long as the process
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    if (line == null || !line.startsWith(READY)) {
      process.destroyForcibly();
      throw new IllegalStateException(
          "fencepost serve did not get ready: "
              + Files.readString(directory.resolve("fencepost.log")));
    }
    return new BrokerProcess(process, line.substring(READY.length()), started);
  }
}
