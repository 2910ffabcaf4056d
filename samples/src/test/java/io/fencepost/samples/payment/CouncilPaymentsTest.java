package io.fencepost.samples.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The published answers for three years of a city's payments. The files are not part of the
 * repository: {@code -Dfencepost.data=DIR} says where they are, else {@code ../shared/data} beside
 * it.
 */
class CouncilPaymentsTest {
  @Test
  void the_fold_gives_the_published_answers_for_each_key() throws IOException {
    List<Path> files = files();
    assertThat(fold(DedupKey.TRANSACTION_NUMBER, files))
        .satisfies(
            fold -> {
              assertThat(fold.deliveries()).isEqualTo(110_605);
              assertThat(fold.deadLetters()).isZero();
              assertThat(fold.accepted().count()).isEqualTo(107_143);
              assertThat(fold.accepted().sum()).isEqualByComparingTo("2454116581.74");
              assertThat(fold.accepted().plus(fold.duplicateRows()).sum())
                  .isEqualByComparingTo("2541601884.57");
              assertThat(fold.wronglyDropped().count()).isZero();
            });
    assertThat(fold(DedupKey.ROW, files).accepted().count()).isEqualTo(110_156);
    InputFold byContent = fold(DedupKey.CONTENT, files);
    assertThat(byContent.accepted().count()).isEqualTo(102_476);
    assertThat(byContent.wronglyDropped().count()).isEqualTo(7_628);
  }

  /** The files, or the reason why the test is skipped. */
  static List<Path> files() throws IOException {
    String named = System.getProperty("fencepost.data", "");
    Path directory =
        named.isEmpty()
            ? Path.of(System.getProperty("fencepost.root", "..")).resolve("../shared/data")
            : Path.of(named);
    assumeTrue(
        Files.isDirectory(directory),
        "no payment files at " + directory.toAbsolutePath().normalize() + "; -Dfencepost.data=DIR");
    try (Stream<Path> entries = Files.list(directory)) {
      List<Path> files = entries.filter(file -> file.toString().endsWith(".csv")).sorted().toList();
      assumeTrue(files.size() == 12, "twelve files are expected in " + directory);
      return files;
    }
  }

  private static InputFold fold(DedupKey key, List<Path> files) throws IOException {
    InputFold fold = new InputFold(key);
    for (Path file : files) {
      try (Stream<String> lines = Files.lines(file)) {
        PaymentRows rows = new PaymentRows(file.getFileName().toString(), lines.iterator());
        assertThat(rows.missingColumns()).isEmpty();
        while (rows.hasNext()) {
          fold.add(rows.next(), 0);
        }
      }
    }
    return fold;
  }
}
