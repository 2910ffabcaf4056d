package io.fencepost.testkit.main;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryDirectoryTest {
  @TempDir Path parent;

  /** Fills one directory that goes and one that is kept, tells both, and waits. */
  static final class Owner {
    private Owner() {}

    public static void main(String[] args) throws IOException {
      for (String prefix : List.of("gone", "kept")) {
        TemporaryDirectory owned = TemporaryDirectory.create(Path.of(args[0]), prefix);
        Files.createDirectories(owned.path().resolve("a").resolve("b"));
        Files.writeString(owned.path().resolve("a").resolve("file"), "text");
        if (prefix.equals("kept")) {
          owned.keep();
        }
        System.out.println(owned.path());
      }
      System.out.println(System.in.read());
    }
  }

  @Test
  void it_goes_with_all_that_is_in_it() throws IOException {
    TemporaryDirectory owned = TemporaryDirectory.create(parent, "x");
    Files.createDirectories(owned.path().resolve("a").resolve("b"));
    owned.close();
    assertThat(owned.path()).doesNotExist();
    owned.close();
  }

  @Test
  void a_process_that_is_asked_to_end_leaves_only_what_is_to_be_kept() throws Exception {
    Process owner = JavaProcess.of(Owner.class, parent).start();
    try (BufferedReader said =
        new BufferedReader(new InputStreamReader(owner.getInputStream(), StandardCharsets.UTF_8))) {
      Path gone = Path.of(said.readLine());
      Path kept = Path.of(said.readLine());
      assertThat(gone).exists();
      owner.toHandle().destroy(); // SIGTERM
      owner.waitFor();
      assertThat(gone).doesNotExist();
      assertThat(kept.resolve("a").resolve("file")).exists();
    } finally {
      owner.destroyForcibly();
    }
  }
}
