package io.fencepost.samples.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The verdict on one claim, with the figures behind it. A vacuous one had no chance to fail in this
 * run, so it proves nothing; it is neither a failure nor a pass.
 */
public record Finding(String claim, Verdict verdict, String figures) {
  /** What came out. */
  public enum Verdict {
    HOLDS("ok"),
    FAILS("FAILED"),
    VACUOUS("vacuous");

    private final String word;

    Verdict(String word) {
      this.word = word;
    }
  }

  /** A claim that holds or fails. */
  public static Finding of(String claim, boolean holds, String figures) {
    return new Finding(claim, holds ? Verdict.HOLDS : Verdict.FAILS, figures);
  }

  /** Whether none of these failed. */
  public static boolean noneFails(List<Finding> findings) {
    return findings.stream().noneMatch(finding -> finding.verdict() == Verdict.FAILS);
  }

  /** The findings as lines for people, and a last line that counts. */
  public static String text(List<Finding> findings) {
    StringBuilder text = new StringBuilder();
    for (Finding finding : findings) {
      text.append(
          "%-8s%s: %s\n".formatted(finding.verdict().word, finding.claim(), finding.figures()));
    }
    long held = findings.stream().filter(f -> f.verdict() == Verdict.HOLDS).count();
    return text.append("%d of %d checks hold\n".formatted(held, findings.size())).toString();
  }

  /** The findings as objects for JSON. */
  public static List<Map<String, String>> toObjects(List<Finding> findings) {
    return findings.stream()
        .map(
            finding -> {
              Map<String, String> object = new LinkedHashMap<>();
              object.put("claim", finding.claim());
              object.put("verdict", finding.verdict().word);
              object.put("figures", finding.figures());
              return object;
            })
        .toList();
  }
}
