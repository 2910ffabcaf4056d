package io.fencepost.testkit.report.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.history.BigHistory;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.report.FaultRow;
import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.Run;
import io.fencepost.testkit.report.TornRun;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages as Chromium shows them; pictures of them are left under target/reports. */
class ReportInBrowserIT {
  // Chromium still writes there while it dies.
  @TempDir(cleanup = CleanupMode.NEVER)
  private static Path directory;

  private static Chromium browser;

  @BeforeAll
  static void start() throws IOException {
    Path executable = Chromium.installed().orElse(null);
    assumeTrue(executable != null, "no Chromium is installed, so no page was opened");
    browser = Chromium.start(executable, directory.resolve("profile"));
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
  }

  private static Path torn() throws IOException {
    Report report =
        Report.titled("Proof of payments, seed 7")
            .fact("runs", 812)
            .fact("fault points", 214)
            .fact("took", "3 min 41 s")
            .caution("S1: in no run was there a fenced producer.")
            .faults(new FaultRow("answer-lost", 112, 111, 40L, 1L, 301L, 0L, 0L))
            .faults(new FaultRow("pause job", 64, 64, 12L, 60L, 88L, 64L, 3L))
            .rerun("./fencepost prove payments --seed 7")
            .run(TornRun.run().dropped(111))
            .build();
    return written(report, "torn");
  }

  private static Path big() throws IOException {
    History history = new History();
    long[] atMs = {1_790_000_000_000L};
    BigHistory.write(20_000, event -> history.addAt(event, atMs[0]++));
    return written(
        Report.titled("Big")
            .run(Run.of("big", history, Verification.verdicts(history, Verification.checks())))
            .build(),
        "big");
  }

  private static Path written(Report report, String name) throws IOException {
    Path page = directory.resolve(name + " #1.html");
    ReportFile.write(report, page);
    return page;
  }

  @ParameterizedTest
  @CsvSource({
    "torn, 1280, 900, light, Broken",
    "torn, 390, 844, dark, Broken",
    "big, 1280, 900, dark, Holds",
    "big, 390, 844, light, Holds",
  })
  void a_page_is_shown_without_complaints_requests_or_overflow(
      String name, int width, int height, String scheme, String verdict) throws IOException {
    Path page = name.equals("torn") ? torn() : big();
    browser.open(page, width, height, scheme);
    browser.screenshot(Path.of("target/reports/%s-%d-%s.png".formatted(name, width, scheme)));
    assertThat(browser.complaints()).isEmpty();
    assertThat(browser.requests()).containsExactly(page.toUri().toString());
    assertThat(browser.number("document.documentElement.scrollWidth"))
        .isLessThanOrEqualTo(browser.number("document.documentElement.clientWidth"));
    assertThat(browser.evaluate("document.querySelector('h1').innerText")).contains(verdict);
    assertThat(browser.number("document.querySelector('h1').getBoundingClientRect().bottom"))
        .isBetween(1.0, height / 2.0);
    assertThat(browser.number("document.querySelectorAll('.plot .bar').length")).isPositive();
    assertThat(browser.number("document.querySelectorAll('.curve .step').length")).isPositive();
  }

  @Test
  void what_a_record_says_does_not_run() throws IOException {
    browser.open(torn(), 1280, 900, "light");
    assertThat(browser.number("document.querySelectorAll('[onclick], img').length")).isZero();
    assertThat(browser.evaluate("typeof window.hit")).isEqualTo("undefined");
    assertThat(browser.evaluate("document.body.innerText.includes('window.hit=1')"))
        .isEqualTo("true");
    assertThat(browser.evaluate("document.body.innerText.includes('\\\\u202e')"))
        .as("what turns texts around is not obeyed")
        .isEqualTo("false");
  }

  @Test
  void the_timeline_is_used_by_keys() throws IOException {
    browser.open(torn(), 1280, 900, "light");
    browser.evaluate("document.querySelector('.plot > svg').focus()");
    String detail = "document.querySelector('.detail').innerText";
    String ticks = "document.querySelector('.plot > svg').textContent";
    browser.press("n");
    String first = browser.evaluate(detail);
    assertThat(first).contains("(1 of ");
    browser.press("n");
    assertThat(browser.evaluate(detail)).isNotEqualTo(first).contains("(2 of ");
    browser.press("p");
    assertThat(browser.evaluate(detail)).isEqualTo(first);
    String before = browser.evaluate(ticks);
    browser.press("+");
    assertThat(browser.evaluate(ticks)).isNotEqualTo(before);
    browser.press("0");
    assertThat(browser.evaluate(ticks)).isEqualTo(before);
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_page_can_be_printed() throws IOException {
    browser.open(torn(), 1280, 900, "dark");
    assertThat(browser.printed()).isGreaterThan(10_000);
  }
}
