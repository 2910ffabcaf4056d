package io.fencepost.testkit.prove.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Job;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobHostTest {
  private static final String STARTED =
      """
      public class Started {
        private static int starts;

        public static io.fencepost.streams.Job job() {
          return io.fencepost.streams.Job.named("start-" + ++starts);
        }
      }
      """;

  @TempDir Path directory;

  @Test
  void each_start_finds_static_variables_as_a_new_process_would() throws IOException {
    Path source = Files.writeString(directory.resolve("Started.java"), STARTED);
    int errors =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString(),
                source.toString());
    assertThat(errors).isZero();
    for (int start = 0; start < 3; start++) {
      Job job = JobHost.define("Started", JobHost.loader(directory.toString()));
      assertThat(job.name()).isEqualTo("start-1");
    }
  }

  /** Needs what is not there. */
  public static final class Unlinked {
    static {
      fail();
    }

    private Unlinked() {}

    private static void fail() {
      throw new NoClassDefFoundError("com/example/Missing");
    }

    public static Job define() {
      return Job.named("never");
    }
  }

  /** Has the method, and no job. */
  public static final class Idle {
    private Idle() {}

    public static @Nullable Job define() {
      return null;
    }
  }

  @Test
  void a_class_that_cannot_be_loaded_or_returns_nothing_is_refused() {
    ClassLoader loader = JobHost.loader("");
    assertThatThrownBy(() -> JobHost.define(Unlinked.class.getName(), loader))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot be loaded: ")
        .hasMessageContaining("com/example/Missing");
    assertThatThrownBy(() -> JobHost.define(Idle.class.getName(), loader))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("define() returned null instead of a job");
  }

  @Test
  void a_class_that_defines_no_job_is_refused() {
    ClassLoader loader = JobHost.loader("");
    assertThatThrownBy(() -> JobHost.define(String.class.getName(), loader))
        .hasMessageContaining(
            "class java.lang.String has 0 public static methods without parameters that return a"
                + " Job");
    assertThatThrownBy(() -> JobHost.define("no.such.Job", loader))
        .hasMessageContaining("there is no class no.such.Job");
  }
}
