package io.fencepost.testkit.report;

import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One run that a report shows.
 *
 * @param name of the run, for its heading
 * @param history of what was seen; it may be empty
 * @param verdicts by the id of the invariant
 * @param marks that the history does not have
 * @param plan of faults in one line; null if there was none
 * @param rerun the command that runs it again; null if there is none
 * @param readsDropped answers that were lost by a fault; null if nobody counted them
 */
public record Run(
    String name,
    History history,
    Map<String, Verdict> verdicts,
    List<Mark> marks,
    @Nullable String plan,
    @Nullable String rerun,
    @Nullable Long readsDropped) {
  public Run {
    verdicts = Collections.unmodifiableMap(new LinkedHashMap<>(verdicts));
    marks = List.copyOf(marks);
  }

  /** A run of which this is known. */
  public static Run of(String name, History history, Map<String, Verdict> verdicts) {
    return new Run(name, history, verdicts, List.of(), null, null, null);
  }

  /** With marks beside those of its history. */
  public Run marked(List<Mark> all) {
    return new Run(name, history, verdicts, all, plan, rerun, readsDropped);
  }

  /** With the plan of its faults. */
  public Run planned(@Nullable String line) {
    return new Run(name, history, verdicts, marks, line, rerun, readsDropped);
  }

  /** With the command that runs it again. */
  public Run rerunBy(@Nullable String line) {
    return new Run(name, history, verdicts, marks, plan, line, readsDropped);
  }

  /** With so many answers that were lost by faults. */
  public Run dropped(long reads) {
    return new Run(name, history, verdicts, marks, plan, rerun, reads);
  }
}
