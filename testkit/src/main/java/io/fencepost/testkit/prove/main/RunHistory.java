package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.FaultObserver;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.history.Content;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.LogEvents;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.disk.HistoryWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Function;

/** What was seen of one run, to be kept if it broke something. Safe to use from any thread. */
public final class RunHistory implements FaultObserver {
  private static final String AUDITOR = "audit";
  private static final String READER = "live";

  private final List<Seen> seen = new ArrayList<>();

  private record Seen(Event event, String who, long atMs) {}

  private void add(Event event, String who) {
    addAt(event, who, System.currentTimeMillis());
  }

  synchronized void addAt(Event event, String who, long atMs) {
    seen.add(new Seen(event, who, atMs));
  }

  @Override
  public void onFired(Fired fired) {
    add(new Event.Fault(fired.sentence()), "plan");
  }

  /** What the auditor saw or did itself. */
  public void audited(Event event) {
    add(event, AUDITOR);
  }

  /** The offsets of a group, by partition. */
  public void offsets(String group, SortedMap<String, Long> committed) {
    committed.forEach(
        (partition, offset) ->
            add(new Event.OffsetSeen(group, LogEvents.parse(partition), offset), AUDITOR));
  }

  /** What a reader was handed while the job ran. */
  public void live(Topics.Line line, Content content) {
    add(read(READER, Isolation.READ_COMMITTED, line, content), READER);
  }

  /** That what stands committed in this partition is read from here, though it may be nothing. */
  public void standingFrom(String partition, long start) {
    audited(
        new Event.Started(AUDITOR, Isolation.READ_COMMITTED, LogEvents.parse(partition), start));
  }

  /** What stands in the logs at the end; returns the events, one for each line. */
  public List<Event> standing(List<Topics.Line> lines, Function<Topics.Line, Content> contents) {
    List<Event> events = new ArrayList<>();
    lines.forEach(
        line -> events.add(read(AUDITOR, Isolation.READ_COMMITTED, line, contents.apply(line))));
    events.forEach(this::audited);
    return events;
  }

  /** That a reader was handed a record. */
  public static Event.Read read(
      String reader, Isolation isolation, Topics.Line line, Content content) {
    return new Event.Read(
        reader, isolation, LogEvents.parse(line.partition()), line.offset(), line.text(), content);
  }

  /** As checks and reports want it: all of it, and that nothing comes any more. */
  public synchronized History finished() {
    History history = unfinished();
    history.addAt(new Event.Finished(), System.currentTimeMillis());
    return history;
  }

  /** As {@link #finished}, but of a run that may still go on. */
  public synchronized History unfinished() {
    History history = new History();
    seen.forEach(one -> history.addAt(one.event(), one.atMs()));
    return history;
  }

  /** Writes it as JSON lines, what was broken at its end; returns the file. */
  public Path keep(Path file, SortedMap<String, Verdict.Fail> violations) {
    List<Event> end = new ArrayList<>();
    violations.forEach((id, fail) -> end.add(new Event.Trouble(id + ": " + fail.sentence())));
    end.add(new Event.Finished());
    return write(file, end);
  }

  /** Writes it as JSON lines of a run that may still go on, with a trouble at its end. */
  public Path keepUnfinished(Path file, String trouble) {
    return write(file, List.of(new Event.Trouble(trouble)));
  }

  private synchronized Path write(Path file, List<Event> end) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      try (HistoryWriter writer = HistoryWriter.create(file)) {
        for (Seen one : seen) {
          writer.write(one.event(), one.who(), one.atMs());
        }
        long now = System.currentTimeMillis();
        end.forEach(event -> writer.write(event, AUDITOR, now));
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException("the history of a failed run cannot be kept in " + file, e);
    }
  }
}
