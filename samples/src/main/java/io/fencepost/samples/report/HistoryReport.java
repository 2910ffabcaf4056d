package io.fencepost.samples.report;

import io.fencepost.broker.config.NearestKey;
import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Reuse;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.history.disk.HistoryFile;
import io.fencepost.testkit.history.disk.HistoryLines;
import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.Run;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What checks say of a history from a file.
 *
 * @param checks that were made, in the order in which they are told
 * @param verdicts by the id of the check
 */
public record HistoryReport(HistoryFile file, List<Check> checks, Map<String, Verdict> verdicts) {
  /** Makes the checks. */
  public static HistoryReport of(HistoryFile file, List<Check> checks) {
    return new HistoryReport(file, checks, Verification.verdicts(file.history(), checks));
  }

  /** Whether nothing is broken or unknown, and each line could be read. */
  public boolean passes() {
    return verdicts.values().stream().allMatch(Verdict::holds) && file.badLineCount() == 0;
  }

  /** For a page to look at. */
  public Report page(String name) {
    Report.Builder page =
        Report.titled("History " + name)
            .fact("events", file.history().events().size())
            .fact("lines", file.lineCount())
            .rerun("./fencepost verify " + name)
            .run(Run.of("history", file.history(), verdicts));
    notes().forEach(page::caution);
    return page.build();
  }

  /** For JSON. */
  public Map<String, Object> toObject() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("passes", passes());
    object.put("lines", file.lineCount());
    object.put("events", file.history().events().size());
    object.put("verdicts", checks.stream().map(this::fields).toList());
    object.put("unknown_events", file.unknownEvents());
    object.put("bad_line_count", file.badLineCount());
    object.put(
        "bad_lines",
        file.badLines().stream()
            .map(bad -> pair("line", bad.number(), "expected", bad.expected()))
            .toList());
    object.put("torn_line", file.tornLine() == 0 ? null : file.tornLine());
    return object;
  }

  private Map<String, Object> fields(Check check) {
    Verdict verdict = verdict(check);
    Map<String, Object> fields = pair("id", check.id(), "verdict", verdict.label());
    fields.put("invariant", check.sentence());
    if (verdict instanceof Verdict.Pass pass) {
      fields.put("occasions", pass.occasions());
    } else if (verdict instanceof Verdict.Fail fail) {
      fields.put("reason", fail.sentence());
      fields.put("witness", lines(fail.events()));
    } else {
      fields.put("reason", reason(verdict));
      if (verdict instanceof Verdict.Unknown unknown && !unknown.events().isEmpty()) {
        fields.put("witness", lines(unknown.events()));
      }
    }
    return fields;
  }

  private static Map<String, Object> pair(
      String firstName, Object first, String secondName, Object second) {
    Map<String, Object> pair = new LinkedHashMap<>();
    pair.put(firstName, first);
    pair.put(secondName, second);
    return pair;
  }

  private Verdict verdict(Check check) {
    Verdict verdict = verdicts.get(check.id());
    if (verdict == null) {
      throw new IllegalStateException("no verdict of " + check.id());
    }
    return verdict;
  }

  private List<Map<String, Object>> lines(List<Event> events) {
    return file.history().numbered(events).stream()
        .map(it -> pair("line", it.line(), "event", HistoryLines.text(it.event())))
        .toList();
  }

  private String text(List<Event> events) {
    return file.history().numbered(events).stream()
        .map(it -> "  line %,d  %s%n".formatted(it.line(), HistoryLines.text(it.event())))
        .collect(Collectors.joining());
  }

  private static @Nullable String reason(Verdict verdict) {
    if (verdict instanceof Verdict.Vacuous vacuous) {
      return vacuous.reason();
    }
    return verdict instanceof Verdict.Unknown unknown ? unknown.reason() : null;
  }

  /** For people. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    Rows rows = new Rows("id", "verdict", "occasions", "invariant, or why there is no verdict");
    for (Check check : checks) {
      Verdict verdict = verdict(check);
      rows.row(
          check.id(),
          verdict.label(),
          verdict instanceof Verdict.Pass pass ? pass.occasions() : null,
          verdict instanceof Verdict.Vacuous ? reason(verdict) : check.sentence());
    }
    text.append(rows).append('\n');
    for (Check check : checks) {
      Verdict verdict = verdict(check);
      if (verdict instanceof Verdict.Fail fail) {
        text.append(check.id()).append(" FAIL: ").append(fail.sentence()).append('\n');
        text.append(text(fail.events()));
      } else if (verdict instanceof Verdict.Unknown unknown) {
        text.append(check.id()).append(" unknown: ").append(unknown.reason()).append('\n');
        text.append(text(unknown.events()));
      }
    }
    notes().forEach(note -> text.append(note).append('\n'));
    return text.append(summary()).toString();
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    for (HistoryFile.BadLine bad : file.badLines()) {
      notes.add("line %,d cannot be read: %s".formatted(bad.number(), bad.expected()));
    }
    if (file.badLineCount() > file.badLines().size()) {
      notes.add(
          "%,d more lines cannot be read".formatted(file.badLineCount() - file.badLines().size()));
    }
    if (file.tornLine() > 0) {
      notes.add(
          "line %,d, the last, is torn: its writer was killed, it is left out"
              .formatted(file.tornLine()));
    }
    if (file.history().events().isEmpty()) {
      notes.add("there is no event in it: nothing is proved");
    }
    Reuse reuse = Reuse.of(file.history());
    if (reuse != null) {
      notes.add((reuse.sentence() + "\n" + text(reuse.events())).stripTrailing());
    }
    file.unknownEvents()
        .forEach(
            (name, count) ->
                notes.add(
                    "no check knows the event %s, %,d of it%s"
                        .formatted(name, count, NearestKey.hint(name, HistoryLines.names()))));
    return notes;
  }

  private String summary() {
    return "%s held, %s broken, %s vacuous, %s unknown: %,d events in %,d lines"
        .formatted(
            count(Verdict.Pass.class),
            count(Verdict.Fail.class),
            count(Verdict.Vacuous.class),
            count(Verdict.Unknown.class),
            file.history().events().size(),
            file.lineCount());
  }

  private long count(Class<? extends Verdict> kind) {
    return verdicts.values().stream().filter(kind::isInstance).count();
  }
}
