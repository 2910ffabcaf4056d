package io.fencepost.testkit.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** One client's part of {@code docs/clients/run-all.sh}, running against a broker. */
final class ScriptRun {
  private static final int NOT_INSTALLED = 2;
  private static final int LIMIT_SECONDS = 120;

  private final String client;
  private final Path output;
  private final Process process;

  private ScriptRun(String client, Path output, Process process) {
    this.client = client;
    this.output = output;
    this.process = process;
  }

  /**
   * @param directory where its output goes
   */
  static ScriptRun start(String client, String bootstrapServers, Path directory)
      throws IOException {
    String root = System.getProperty("fencepost.root", System.getProperty("user.dir"));
    Path output = directory.resolve(client + ".txt");
    Process process =
        new ProcessBuilder("bash", "docs/clients/run-all.sh", bootstrapServers, client)
            .directory(Path.of(root).toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new ScriptRun(client, output, process);
  }

  /** Skips the test where the client is not installed. */
  void assertAllStepsAreOk() throws IOException, InterruptedException {
    boolean isOver = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
    String said = Files.readString(output);
    assertThat(isOver).as("%s has not ended in %d s:\n%s", client, LIMIT_SECONDS, said).isTrue();
    assumeTrue(process.exitValue() != NOT_INSTALLED, said);
    assertThat(process.exitValue()).as(said).isZero();
    assertThat(said).contains("ok       " + client).doesNotContain("FAILED");
  }

  void stop() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
