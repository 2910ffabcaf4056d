package io.fencepost.streams.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryLockTest {
  @TempDir Path directory;

  @Test
  void a_second_try_of_the_same_process_does_not_free_it_for_another_process() throws Exception {
    Path file = directory.resolve("x.lock");
    try (DirectoryLock lock = DirectoryLock.tryLock(file)) {
      assertThat(lock).isNotNull();
      assertThat(
              DirectoryLock.tryLock(directory.resolve("../" + directory.getFileName() + "/x.lock")))
          .isNull();
      assertThat(otherProcessGets(file)).isFalse();
    }
    assertThat(otherProcessGets(file)).isTrue();
  }

  private static boolean otherProcessGets(Path file) throws Exception {
    return new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    DirectoryLockTest.class.getName(),
                    file.toString()))
            .inheritIO()
            .start()
            .waitFor()
        == 0;
  }

  public static void main(String[] args) throws Exception {
    System.exit(DirectoryLock.tryLock(Path.of(args[0])) == null ? 1 : 0);
  }
}
