package io.fencepost.samples.client;

import io.fencepost.testkit.prove.main.Mutants;
import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.Run;
import java.util.List;

/** What mutants did, and by what they were noticed, as a page to look at. */
public final class MutantsPage {
  private static final String COMMAND = "./fencepost prove --mutants";

  private MutantsPage() {}

  /** The page: of each mutant its story, with the rule off. */
  public static Report of(List<Mutants.Result> results) {
    boolean isOne = results.size() == 1;
    String title = isOne ? "Mutant " + results.get(0).mutant().label() : "Mutants";
    long caught = results.stream().filter(Mutants.Result::isCaught).count();
    Report.Builder page =
        Report.titled(title)
            .brokenOnPurpose((int) caught, results.size())
            .caution(
                "What is told here was played with a rule of broker, coordinator or job switched"
                    + " off. With the rule on, under the same plan, each check that failed here had"
                    + " occasion to, and held.")
            .rerun(isOne ? rerun(results.get(0)) : COMMAND);
    for (Mutants.Result result : results) {
      if (!result.isCaught()) {
        page.caution(
            "%s survived: %s"
                .formatted(
                    result.mutant().label(),
                    result.trouble().isEmpty() ? "no check failed" : result.trouble()));
      }
      page.run(
          Run.of(result.mutant().label(), result.history(), result.verdicts())
              .planned(result.plan().isEmpty() ? null : result.plan().toString())
              .rerunBy(rerun(result)));
    }
    return page.build();
  }

  private static String rerun(Mutants.Result result) {
    return COMMAND + "=" + result.mutant().label();
  }
}
