package io.fencepost.testkit.history.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.testkit.history.BigHistory;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A big history is checked in seconds. To measure with the command line: {@code
 * -Dfencepost.history.records=1000000 -Dfencepost.history.file=/tmp/big.jsonl} keeps the file.
 */
class BigHistoryTest {
  private static final long RECORDS = Long.getLong("fencepost.history.records", 100_000);
  private static final Set<String> VACUOUS =
      new LinkedHashSet<>(List.of("C7", "C8", "C10", "C11", "C12", "L5", "L7"));

  @Test
  @Timeout(120)
  void all_holds_in_a_big_history_and_is_checked_in_seconds(@TempDir Path dir) throws IOException {
    String kept = System.getProperty("fencepost.history.file");
    Path path = kept == null ? dir.resolve("history.jsonl") : Path.of(kept);
    try (HistoryWriter writer = HistoryWriter.create(path)) {
      BigHistory.write(RECORDS, writer);
    }
    long begun = System.nanoTime();
    HistoryFile file;
    try (InputStream in = Files.newInputStream(path)) {
      file = HistoryFile.read(in);
    }
    Duration read = Duration.ofNanos(System.nanoTime() - begun);
    Map<String, Verdict> verdicts = Verification.verdicts(file.history(), Verification.checks());
    Duration all = Duration.ofNanos(System.nanoTime() - begun);
    System.out.printf(
        "%,d records in %,d lines, %,d MiB: read in %d ms, read and checked in %d ms%n",
        RECORDS, file.lineCount(), Files.size(path) >> 20, read.toMillis(), all.toMillis());
    assertThat(file.badLines()).isEmpty();
    assertThat(verdicts)
        .allSatisfy(
            (id, verdict) ->
                assertThat(verdict)
                    .as(id)
                    .isInstanceOf(
                        VACUOUS.contains(id) ? Verdict.Vacuous.class : Verdict.Pass.class));
  }
}
