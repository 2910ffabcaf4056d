package io.fencepost.testkit.prove.main;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.fault.FaultObserver;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.disk.HistoryWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

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
    add(new Event.Fault(fired.toString()), "plan");
  }

  /** What the auditor saw or did itself. */
  public void audited(Event event) {
    add(event, AUDITOR);
  }

  /** The offsets of a group, by partition. */
  public void offsets(String group, SortedMap<String, Long> committed) {
    committed.forEach(
        (partition, offset) ->
            add(new Event.OffsetSeen(group, partition(partition), offset), AUDITOR));
  }

  /** What a reader was handed while the job ran. */
  public void live(Topics.Line line) {
    add(read(READER, Isolation.READ_COMMITTED, line), READER);
  }

  /** What stands in the logs at the end; returns the events, one for each line. */
  public List<Event> standing(List<Topics.Line> lines) {
    List<Event> events = new ArrayList<>();
    lines.forEach(line -> events.add(read(AUDITOR, Isolation.READ_COMMITTED, line)));
    events.forEach(this::audited);
    return events;
  }

  /** That a reader was handed a record. */
  public static Event.Read read(String reader, Isolation isolation, Topics.Line line) {
    return new Event.Read(
        reader, isolation, partition(line.partition()), line.offset(), line.text());
  }

  /** By its name, as {@code payments-0}. */
  public static TopicPartition partition(String text) {
    int line = text.lastIndexOf('-');
    return new TopicPartition(text.substring(0, line), Integer.parseInt(text.substring(line + 1)));
  }

  /** As checks and reports want it: all of it, and that nothing comes any more. */
  public synchronized History finished() {
    History history = new History();
    seen.forEach(one -> history.addAt(one.event(), one.atMs()));
    history.addAt(new Event.Finished(), System.currentTimeMillis());
    return history;
  }

  /** Writes it as JSON lines, what was broken at its end; returns the file. */
  public synchronized Path keep(Path file, SortedMap<String, Verdict.Fail> violations) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      try (HistoryWriter writer = HistoryWriter.create(file)) {
        for (Seen one : seen) {
          writer.write(one.event(), one.who(), one.atMs());
        }
        long now = System.currentTimeMillis();
        violations.forEach(
            (id, fail) ->
                writer.write(new Event.Trouble(id + ": " + fail.sentence()), AUDITOR, now));
        writer.write(new Event.Finished(), AUDITOR, now);
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException("the history of a failed run cannot be kept in " + file, e);
    }
  }
}
