package io.fencepost.testkit.report;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Invariants;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is told of a run, or of many runs that belong together. Made by {@link #titled}; {@link
 * ReportPage} shows it.
 */
public final class Report {
  private static final int CHARTS_MAX = 12;
  private static final int VIOLATIONS_MAX = 40;

  /** What it all comes to. */
  public enum Standing {
    HOLDS,
    BROKEN,
    UNKNOWN,
    /** Nothing was broken, and nothing had a chance to be. */
    PROVES_NOTHING,
    /** Rules were switched off on purpose, and checks noticed each. */
    CAUGHT,
    /** A rule was switched off on purpose, and no check noticed. */
    SURVIVED
  }

  /** A figure of the head. */
  record Fact(String label, String value) {}

  private final String title;
  private final List<Fact> facts;
  private final List<String> cautions;
  private final Map<String, Verdict> verdicts;
  private final List<FaultRow> faults;
  private final String faultsNote;
  private final List<RecordRow> records;
  private final List<Violation> violations;
  private final int violationCount;
  private final List<RunChart> charts;
  private final int runCount;
  private final @Nullable String rerun;
  private final @Nullable OnPurpose onPurpose;
  private final @Nullable String failure;
  private final @Nullable String weakness;

  /** Runs that are to break something, and in how many a check noticed. */
  private record OnPurpose(int noticed, int all) {}

  private Report(Builder builder) {
    title = builder.title;
    facts = List.copyOf(builder.facts);
    cautions = List.copyOf(builder.cautions);
    verdicts = Collections.unmodifiableMap(builder.verdictsOrOfRuns());
    faults = List.copyOf(builder.faults);
    faultsNote = builder.faultsNote;
    records = List.copyOf(builder.recordsOrOfRuns());
    rerun = builder.rerun;
    onPurpose = builder.onPurpose;
    failure = builder.failure;
    weakness = builder.weakness;
    runCount = builder.runs.size();
    List<Violation> broken = new ArrayList<>();
    int count = 0;
    for (Run run : builder.runs) {
      for (Map.Entry<String, Verdict> entry : run.verdicts().entrySet()) {
        if (entry.getValue() instanceof Verdict.Fail fail) {
          count++;
          if (broken.size() < VIOLATIONS_MAX) {
            broken.add(Violation.of(entry.getKey(), fail, run));
          }
        }
      }
    }
    violations = List.copyOf(broken);
    violationCount = count;
    List<RunChart> drawn = new ArrayList<>();
    int chartCount = Math.min(CHARTS_MAX, builder.runs.size());
    for (Run run : builder.runs.subList(0, chartCount)) {
      RunChart chart = RunChart.of(run, witnesses(run), chartCount);
      if (!chart.isEmpty()) {
        drawn.add(chart);
      }
    }
    charts = List.copyOf(drawn);
  }

  private static List<Event> witnesses(Run run) {
    List<Event> events = new ArrayList<>();
    for (Verdict verdict : run.verdicts().values()) {
      if (verdict instanceof Verdict.Fail fail) {
        events.addAll(fail.events());
      }
    }
    return events;
  }

  /** Begins a report. */
  public static Builder titled(String title) {
    return new Builder(title);
  }

  /** What it all comes to. */
  public Standing standing() {
    if (onPurpose != null) {
      return onPurpose.noticed == onPurpose.all ? Standing.CAUGHT : Standing.SURVIVED;
    }
    if (failure != null || hasBroken()) {
      return Standing.BROKEN;
    }
    if (weakness != null) {
      return Standing.PROVES_NOTHING;
    }
    if (count(Verdict.Unknown.class) > 0) {
      return Standing.UNKNOWN;
    }
    return count(Verdict.Pass.class) > 0 ? Standing.HOLDS : Standing.PROVES_NOTHING;
  }

  private boolean hasBroken() {
    return count(Verdict.Fail.class) > 0 || violationCount > 0;
  }

  /** The standing in one sentence, with its figures; that of a failure first. */
  public String sentence() {
    if (failure != null) {
      return hasBroken() ? failure + " " + brokenSentence() : failure;
    }
    return switch (standing()) {
      case BROKEN -> brokenSentence();
      case UNKNOWN ->
          "Nothing was seen to be broken, but of %s there is not enough to tell."
              .formatted(String.join(", ", ids(Verdict.Unknown.class)));
      case HOLDS ->
          "%s held, on %s occasions on which %s could have been broken."
              .formatted(
                  counted(count(Verdict.Pass.class), "invariant"),
                  grouped(occasions()),
                  count(Verdict.Pass.class) == 1 ? "it" : "one of them");
      case PROVES_NOTHING ->
          weakness == null
              ? "Nothing was broken, and no invariant had a chance to be."
              : "Nothing was broken, and nothing is proved: " + weakness + ".";
      case CAUGHT, SURVIVED -> onPurposeSentence();
    };
  }

  private String onPurposeSentence() {
    int noticed = onPurpose == null ? 0 : onPurpose.noticed;
    int all = onPurpose == null ? 0 : onPurpose.all;
    if (all == 1) {
      return "A rule was switched off on purpose, and %s noticed."
          .formatted(noticed == 1 ? "the checks" : "no check");
    }
    return "A rule was switched off on purpose in each of %s; the checks noticed %s of them."
        .formatted(counted(all, "run"), grouped(noticed));
  }

  private String brokenSentence() {
    List<String> ids = ids(Verdict.Fail.class);
    if (ids.size() == 1) {
      return "%s was broken: %s.".formatted(ids.get(0), Invariants.sentence(ids.get(0)));
    }
    return ids.isEmpty()
        ? counted(violationCount, "violation") + "."
        : "%d invariants were broken: %s.".formatted(ids.size(), String.join(", ", ids));
  }

  static String counted(long count, String noun) {
    return grouped(count) + " " + noun + (count == 1 ? "" : "s");
  }

  /** The same everywhere, as the page is in English. */
  static String grouped(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  List<String> ids(Class<? extends Verdict> kind) {
    List<String> ids = new ArrayList<>();
    verdicts.forEach(
        (id, verdict) -> {
          if (kind.isInstance(verdict)) {
            ids.add(id);
          }
        });
    return ids;
  }

  long count(Class<? extends Verdict> kind) {
    return verdicts.values().stream().filter(kind::isInstance).count();
  }

  private long occasions() {
    return verdicts.values().stream()
        .mapToLong(verdict -> verdict instanceof Verdict.Pass pass ? pass.occasions() : 0)
        .sum();
  }

  String title() {
    return title;
  }

  List<Fact> facts() {
    return facts;
  }

  List<String> cautions() {
    return cautions;
  }

  Map<String, Verdict> verdicts() {
    return verdicts;
  }

  List<FaultRow> faults() {
    return faults;
  }

  String faultsNote() {
    return faultsNote;
  }

  List<RecordRow> records() {
    return records;
  }

  List<Violation> violations() {
    return violations;
  }

  int violationCount() {
    return violationCount;
  }

  List<RunChart> charts() {
    return charts;
  }

  int runCount() {
    return runCount;
  }

  @Nullable String rerun() {
    return rerun;
  }

  /** Gathers what a report tells. Single-threaded. */
  public static final class Builder {
    private final String title;
    private final List<Fact> facts = new ArrayList<>();
    private final List<String> cautions = new ArrayList<>();
    private final Map<String, Verdict> verdicts = new LinkedHashMap<>();
    private final List<FaultRow> faults = new ArrayList<>();
    private final List<RecordRow> records = new ArrayList<>();
    private final List<Run> runs = new ArrayList<>();
    private @Nullable String rerun;
    private @Nullable OnPurpose onPurpose;
    private @Nullable String failure;
    private @Nullable String weakness;
    private String faultsNote = "";

    private Builder(String title) {
      this.title = title;
    }

    /** A figure for the head: {@code seed}, {@code 7}. */
    public Builder fact(String label, Object value) {
      facts.add(
          new Fact(
              label,
              value instanceof Long || value instanceof Integer
                  ? grouped(((Number) value).longValue())
                  : value.toString()));
      return this;
    }

    /** Something that makes this prove less than it seems to. */
    public Builder caution(String sentence) {
      cautions.add(sentence);
      return this;
    }

    /** What is said of all runs together; without this, it is made of what is said of each. */
    public Builder verdicts(Map<String, Verdict> all) {
      verdicts.putAll(all);
      return this;
    }

    /** A row of the table of faults. */
    public Builder faults(FaultRow row) {
      faults.add(row);
      return this;
    }

    /** What has to be known to read the table of faults. */
    public Builder faultsNote(String sentence) {
      faultsNote = sentence;
      return this;
    }

    /** A row of the table of records; without any, they are counted in the runs. */
    public Builder records(RecordRow row) {
      records.add(row);
      return this;
    }

    /** A run to be shown: its violations, its timeline, its curves. */
    public Builder run(Run run) {
      runs.add(run);
      return this;
    }

    /** The command that runs all of it again. */
    public Builder rerun(String line) {
      rerun = line;
      return this;
    }

    /** That something was broken on purpose in all runs, and noticed in so many. */
    public Builder brokenOnPurpose(int noticed, int all) {
      onPurpose = new OnPurpose(noticed, all);
      return this;
    }

    /** That it is broken whatever the invariants say, in a sentence. */
    public Builder failed(String sentence) {
      failure = sentence;
      return this;
    }

    /** Why it proves nothing that nothing was broken; null if it does prove something. */
    public Builder weakness(@Nullable String reason) {
      weakness = reason;
      return this;
    }

    /** The report. */
    public Report build() {
      return new Report(this);
    }

    private Map<String, Verdict> verdictsOrOfRuns() {
      TreeMap<String, Verdict> sorted = new TreeMap<>(Builder::compareIds);
      sorted.putAll(verdicts);
      if (verdicts.isEmpty()) {
        runs.forEach(
            run ->
                run.verdicts().forEach((id, verdict) -> sorted.merge(id, verdict, Builder::both)));
      }
      return sorted;
    }

    /** In the order of their numbers, where they are such ids. */
    private static int compareIds(String one, String other) {
      boolean isNumbered = one.matches("[A-Z]\\d{1,8}") && other.matches("[A-Z]\\d{1,8}");
      return isNumbered ? Verification.BY_ID.compare(one, other) : one.compareTo(other);
    }

    private static Verdict both(Verdict one, Verdict other) {
      if (one instanceof Verdict.Pass a && other instanceof Verdict.Pass b) {
        return new Verdict.Pass(a.occasions() + b.occasions());
      }
      return rank(one) >= rank(other) ? one : other;
    }

    private static int rank(Verdict verdict) {
      if (verdict instanceof Verdict.Fail) {
        return 3;
      }
      if (verdict instanceof Verdict.Unknown) {
        return 2;
      }
      return verdict instanceof Verdict.Pass ? 1 : 0;
    }

    private List<RecordRow> recordsOrOfRuns() {
      if (!records.isEmpty()) {
        return records;
      }
      if (runs.size() == 1) {
        return RecordCount.of(runs.get(0));
      }
      List<RecordRow> rows = new ArrayList<>();
      for (Run run : runs) {
        List<RecordRow> topics = RecordCount.of(run);
        if (!topics.isEmpty()) {
          rows.add(
              RecordCount.total(
                  run.name(), topics.subList(0, topics.size() - 1), run.readsDropped()));
        }
      }
      return rows;
    }
  }
}
