package io.fencepost.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CleanUpTest {
  /** A JVM that waits for ever for somebody to write to it. */
  private static final ProcessBuilder WAITS =
      new ProcessBuilder(
          Path.of(System.getProperty("java.home"), "bin", "java").toString(),
          "-Xshare:auto",
          "-cp",
          System.getProperty("java.class.path"),
          Waits.class.getName());

  /** Started by the test. */
  static final class Waits {
    private Waits() {}

    public static void main(String[] args) throws Exception {
      if (System.in.read() >= 0) {
        throw new IllegalStateException("nobody writes here");
      }
    }
  }

  @Test
  void closing_kills_the_processes_and_removes_the_directory_once() throws Exception {
    CleanUp cleanUp = new CleanUp();
    Path inside = Files.createDirectories(cleanUp.directory().resolve("a/b"));
    Files.writeString(inside.resolve("file"), "x");
    Process process = cleanUp.launch(WAITS);
    assertThat(process.isAlive()).isTrue();

    cleanUp.close();

    assertThat(process.isAlive()).isFalse();
    assertThat(cleanUp.directory()).doesNotExist();
    cleanUp.close();
    assertThatThrownBy(() -> cleanUp.launch(WAITS)).hasMessageContaining("ending");
  }
}
