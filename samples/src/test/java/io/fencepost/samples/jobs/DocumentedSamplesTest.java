package io.fencepost.samples.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/jobs.md shows of a sample is in the sample. */
class DocumentedSamplesTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern SHOWN =
      Pattern.compile("<!-- (\\S+\\.java) -->\\n```java\\n(.*?)```", Pattern.DOTALL);

  @Test
  void the_code_shown_is_the_code_that_runs() throws IOException {
    Matcher shown = SHOWN.matcher(Files.readString(ROOT.resolve("docs/jobs.md")));
    int blocks = 0;
    while (shown.find()) {
      String source = Files.readString(ROOT.resolve(shown.group(1)));
      assertThat(flat(source)).as(shown.group(1)).contains(flat(shown.group(2)));
      blocks++;
    }
    assertThat(blocks).isGreaterThan(3);
  }

  private static String flat(String code) {
    return code.replaceAll("\\s+", " ").strip();
  }
}
