package io.fencepost.testkit.prove.main;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
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
final class RunHistory {
  private static final String AUDITOR = "audit";
  private static final String READER = "live";

  private final List<Seen> seen = new ArrayList<>();

  private record Seen(Event event, String who, long atMs) {}

  private synchronized void add(Event event, String who) {
    seen.add(new Seen(event, who, System.currentTimeMillis()));
  }

  void fault(String what) {
    add(new Event.Fault(what), "plan");
  }

  void offsets(String group, SortedMap<String, Long> committed) {
    committed.forEach(
        (partition, offset) ->
            add(new Event.OffsetSeen(group, partition(partition), offset), AUDITOR));
  }

  void live(Topics.Line line) {
    add(read(READER, line), READER);
  }

  void standing(List<Topics.Line> lines) {
    lines.forEach(line -> add(read(AUDITOR, line), AUDITOR));
  }

  private static Event read(String reader, Topics.Line line) {
    return new Event.Read(
        reader,
        Isolation.READ_COMMITTED,
        partition(line.partition()),
        line.offset(),
        line.key() + "=" + line.value());
  }

  private static TopicPartition partition(String text) {
    int line = text.lastIndexOf('-');
    return new TopicPartition(text.substring(0, line), Integer.parseInt(text.substring(line + 1)));
  }

  /** Writes it as JSON lines, what was broken at its end; returns the file. */
  synchronized Path keep(Path file, SortedMap<String, Verdict.Fail> violations) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      try (HistoryWriter writer = HistoryWriter.create(file)) {
        for (Seen one : seen) {
          writer.write(one.event(), one.who(), one.atMs());
        }
        long now = System.currentTimeMillis();
        violations.forEach(
            (id, fail) ->
                writer.write(new Event.Trouble(id + ": " + fail.witness()), AUDITOR, now));
        writer.write(new Event.Finished(), AUDITOR, now);
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException("the history of a failed run cannot be kept in " + file, e);
    }
  }
}
