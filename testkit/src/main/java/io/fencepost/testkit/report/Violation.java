package io.fencepost.testkit.report;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Invariants;
import io.fencepost.testkit.history.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An invariant that was broken in a run.
 *
 * @param steps what the witness's events say, in the order in which they were seen
 */
record Violation(
    String id,
    String invariant,
    String run,
    String sentence,
    List<Step> steps,
    Picture picture,
    @Nullable String plan,
    @Nullable String rerun) {
  /**
   * One event of the witness.
   *
   * @param line of the history where it stands
   */
  record Step(long line, String who, String sentence) {}

  static Violation of(String id, Verdict.Fail fail, Run run) {
    List<Event> inOrder = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    for (History.Numbered numbered : run.history().numbered(fail.events())) {
      inOrder.add(numbered.event());
      steps.add(step(numbered.line(), numbered.event()));
    }
    for (Event event : fail.events()) {
      if (!inOrder.contains(event)) {
        inOrder.add(event);
        steps.add(step(0, event));
      }
    }
    return new Violation(
        id,
        Invariants.sentence(id),
        run.name(),
        fail.sentence(),
        steps,
        PictureBuilder.of(run.history(), inOrder),
        run.plan(),
        run.rerun());
  }

  private static Step step(long line, Event event) {
    EventFacts facts = EventFacts.of(event);
    return new Step(line, facts.who(), facts.sentence());
  }
}
