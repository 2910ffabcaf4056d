package io.fencepost.testkit.report;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Transactions;
import io.fencepost.testkit.report.Picture.Actor;
import io.fencepost.testkit.report.Picture.Cell;
import io.fencepost.testkit.report.Picture.ReaderRow;
import io.fencepost.testkit.report.Picture.Sight;
import io.fencepost.testkit.report.Picture.Strip;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Draws what stands around the events of a witness. For one witness; not thread-safe. */
final class PictureBuilder {
  private static final int BESIDE = 2;
  private static final int OF_TRANSACTION_MAX = 12;
  private static final int CELLS_MAX = 40;
  private static final int STRIPS_MAX = 8;
  private static final int READERS_MAX = 4;
  private static final int ACTORS_MAX = 8;
  private static final int LOST_MAX = 4;

  private final History history;
  private final List<Event> witness;
  private final Transactions transactions;

  /** Offsets that must be seen, with the numbers of the events that are about them. */
  private final TreeMap<TopicPartition, TreeMap<Long, TreeSet<Integer>>> spots = new TreeMap<>();

  private final LinkedHashSet<String> actors = new LinkedHashSet<>();
  private final TreeSet<String> values = new TreeSet<>();
  private final TreeSet<String> sentValues = new TreeSet<>();
  private final TreeSet<String> readValues = new TreeSet<>();
  private final LinkedHashSet<String> readers = new LinkedHashSet<>();

  private final TreeMap<TopicPartition, TreeMap<Long, Standing>> standings = new TreeMap<>();
  private final Map<String, TreeSet<String>> places = new LinkedHashMap<>();

  /** What is known of an offset. */
  private static final class Standing {
    final LinkedHashSet<String> values = new LinkedHashSet<>();
    @Nullable String transaction;
    @Nullable Boolean marker;
    final TreeSet<String> handed = new TreeSet<>();
  }

  private PictureBuilder(History history, List<Event> witness) {
    this.history = history;
    this.witness = witness;
    this.transactions = history.transactions();
  }

  /** The picture; without strips if the witness names no offset. */
  static Picture of(History history, List<Event> witness) {
    PictureBuilder builder = new PictureBuilder(history, witness);
    builder.markWitness();
    builder.markTransactions();
    if (builder.spots.isEmpty()) {
      return new Picture(List.of(), List.of());
    }
    builder.gather();
    return builder.picture();
  }

  // ---- what must be seen

  private void markWitness() {
    for (int i = 0; i < witness.size(); i++) {
      Event event = witness.get(i);
      EventFacts facts = EventFacts.of(event);
      actors.addAll(facts.transactions());
      String value = facts.value();
      if (value != null) {
        values.add(value);
      }
      String origin = transactions.transactionOf(event);
      if (origin != null) {
        actors.add(origin);
      }
      if (event instanceof Event.Sent it) {
        sentValues.add(it.value());
      } else if (event instanceof Event.Read it) {
        readValues.add(it.value());
      }
      if (isOfReader(event)) {
        readers.add(facts.who());
      }
      // A position stands behind the record that is passed: it is no place of its own.
      boolean isPosition = event instanceof Event.Passed || event instanceof Event.Staged;
      if (facts.partition() != null && facts.offset() >= 0 && !isPosition) {
        spot(facts.partition(), facts.offset()).add(i + 1);
      }
    }
  }

  private static boolean isOfReader(Event event) {
    return event instanceof Event.Read
        || event instanceof Event.Passed
        || event instanceof Event.Started
        || event instanceof Event.Probed
        || event instanceof Event.Scanned
        || event instanceof Event.Stood;
  }

  private void markTransactions() {
    for (String name : actors) {
      List<Event.Sent> all = transactions.sentIn(name);
      all.stream()
          .filter(sent -> sent.outcome() == Outcome.OK)
          .limit(OF_TRANSACTION_MAX)
          .forEach(sent -> spot(sent.partition(), sent.offset()));
    }
    for (int i = 0; i < history.events().size(); i++) {
      // Where a value of the witness stands, so that what stands twice is seen twice.
      Event event = history.events().get(i);
      if (event instanceof Event.Read it && values.contains(it.value())) {
        spot(it.partition(), it.offset());
      } else if (event instanceof Event.Sent it
          && values.contains(it.value())
          && it.outcome() == Outcome.OK) {
        spot(it.partition(), it.offset());
      }
    }
  }

  private TreeSet<Integer> spot(TopicPartition partition, long offset) {
    return spots
        .computeIfAbsent(partition, key -> new TreeMap<>())
        .computeIfAbsent(offset, key -> new TreeSet<>());
  }

  // ---- what stands there

  private void gather() {
    spots.forEach(
        (partition, offsets) -> {
          TreeMap<Long, Standing> row = new TreeMap<>();
          for (long offset : offsets.keySet()) {
            for (long near = Math.max(0, offset - BESIDE); near <= offset + BESIDE; near++) {
              row.putIfAbsent(near, new Standing());
            }
          }
          standings.put(partition, row);
        });
    for (Event event : history.events()) {
      if (event instanceof Event.Sent it && it.outcome() == Outcome.OK) {
        stand(it.partition(), it.offset(), it.value(), it.transaction());
      } else if (event instanceof Event.Read it) {
        String origin = transactions.transactionOf(it);
        Standing standing = stand(it.partition(), it.offset(), it.value(), origin);
        if (standing != null) {
          standing.handed.add(it.reader());
        }
      } else if (event instanceof Event.MarkerLogged it) {
        Standing standing = at(it.partition(), it.offset());
        if (standing != null) {
          standing.marker = it.commit();
        }
      } else if (event instanceof Event.TransactionalBatch it && it.transactions().size() == 1) {
        Standing standing = at(it.partition(), it.baseOffset());
        if (standing != null && standing.transaction == null) {
          standing.transaction = it.transactions().first();
        }
      }
    }
  }

  private @Nullable Standing at(TopicPartition partition, long offset) {
    TreeMap<Long, Standing> row = standings.get(partition);
    return row == null ? null : row.get(offset);
  }

  private @Nullable Standing stand(
      TopicPartition partition, long offset, String value, @Nullable String origin) {
    Standing standing = at(partition, offset);
    if (standing != null) {
      standing.values.add(value);
      standing.transaction = standing.transaction == null ? origin : standing.transaction;
      places.computeIfAbsent(value, key -> new TreeSet<>()).add(partition + "@" + offset);
    }
    return standing;
  }

  // ---- the picture

  private Picture picture() {
    LinkedHashSet<String> seen = new LinkedHashSet<>(actors);
    standings.forEach((partition, row) -> addTransactions(shown(partition, row), seen));
    List<String> letters = seen.stream().limit(ACTORS_MAX).toList();
    List<Strip> strips = new ArrayList<>();
    standings.forEach(
        (partition, row) -> {
          if (strips.size() < STRIPS_MAX) {
            strips.add(strip(partition, row, letters));
          }
        });
    List<Actor> named = new ArrayList<>();
    letters.forEach(name -> named.add(new Actor(name, transactions.fate(name), lost(name))));
    return new Picture(strips, named);
  }

  private static void addTransactions(TreeMap<Long, Standing> shown, LinkedHashSet<String> all) {
    for (Standing standing : shown.values()) {
      if (standing.transaction != null) {
        all.add(standing.transaction);
      }
    }
  }

  private List<String> lost(String transaction) {
    return transactions.sentIn(transaction).stream()
        .filter(sent -> sent.outcome() != Outcome.OK)
        .map(Event.Sent::value)
        .limit(LOST_MAX)
        .toList();
  }

  private Strip strip(TopicPartition partition, TreeMap<Long, Standing> row, List<String> letters) {
    TreeMap<Long, Standing> shown = shown(partition, row);
    Map<String, String> isolations = new LinkedHashMap<>();
    Map<String, Long> positions = new LinkedHashMap<>();
    Map<String, Long> starts = new LinkedHashMap<>();
    views(partition, isolations, positions, starts);
    List<ReaderRow> rows = new ArrayList<>();
    for (String reader : order(shown, isolations)) {
      List<Sight> sights = new ArrayList<>();
      shown.forEach(
          (offset, standing) ->
              sights.add(
                  standing.handed.contains(reader)
                      ? Sight.HANDED
                      : offset < positions.getOrDefault(reader, 0L)
                              && offset >= starts.getOrDefault(reader, 0L)
                          ? passed(standing, isolations.getOrDefault(reader, ""))
                          : Sight.NONE));
      rows.add(new ReaderRow(reader, isolations.getOrDefault(reader, ""), sights));
    }
    List<Cell> cells = new ArrayList<>();
    shown.forEach(
        (offset, standing) -> cells.add(cell(partition, offset, standing, letters, rows, cells)));
    return new Strip(partition, cells, rows);
  }

  private Sight passed(Standing standing, String isolation) {
    boolean isWithheld = isAborted(standing) && isolation.equals("read_committed");
    return isWithheld ? Sight.WITHHELD : Sight.PASSED;
  }

  private boolean isAborted(Standing standing) {
    return standing.transaction != null
        && transactions.fate(standing.transaction) == Transactions.Fate.ABORTED;
  }

  /** All, or if these are too many those that events are about, or the first of these. */
  private TreeMap<Long, Standing> shown(TopicPartition partition, TreeMap<Long, Standing> row) {
    if (row.size() <= CELLS_MAX) {
      return row;
    }
    TreeMap<Long, Standing> shown = new TreeMap<>();
    TreeMap<Long, TreeSet<Integer>> wanted = spots.getOrDefault(partition, new TreeMap<>());
    wanted.forEach((offset, events) -> addIfRoom(shown, row, offset, !events.isEmpty()));
    wanted.keySet().forEach(offset -> addIfRoom(shown, row, offset, true));
    return shown;
  }

  private static void addIfRoom(
      TreeMap<Long, Standing> shown, TreeMap<Long, Standing> row, long offset, boolean isWanted) {
    Standing standing = row.get(offset);
    if (isWanted && standing != null && shown.size() < CELLS_MAX) {
      shown.put(offset, standing);
    }
  }

  private void views(
      TopicPartition partition,
      Map<String, String> isolations,
      Map<String, Long> positions,
      Map<String, Long> starts) {
    for (Event event : history.events()) {
      if (event instanceof Event.Read it && it.partition().equals(partition)) {
        isolations.put(it.reader(), it.isolation().name().toLowerCase(Locale.ROOT));
      } else if (event instanceof Event.Passed it && it.partition().equals(partition)) {
        isolations.put(it.reader(), it.isolation().name().toLowerCase(Locale.ROOT));
        positions.merge(it.reader(), it.position(), Math::max);
      } else if (event instanceof Event.Started it && it.partition().equals(partition)) {
        starts.putIfAbsent(it.reader(), it.offset());
      }
    }
  }

  /** Readers of the witness first, then those that were handed something here. */
  private List<String> order(TreeMap<Long, Standing> shown, Map<String, String> isolations) {
    LinkedHashSet<String> order = new LinkedHashSet<>();
    order.addAll(readers);
    order.retainAll(isolations.keySet());
    shown.values().forEach(standing -> order.addAll(standing.handed));
    return order.stream().limit(READERS_MAX).toList();
  }

  private Cell cell(
      TopicPartition partition,
      long offset,
      Standing standing,
      List<String> letters,
      List<ReaderRow> rows,
      List<Cell> before) {
    TreeSet<Integer> events =
        spots.getOrDefault(partition, new TreeMap<>()).getOrDefault(offset, new TreeSet<>());
    int letter = standing.transaction == null ? -1 : letters.indexOf(standing.transaction);
    return new Cell(
        offset,
        List.copyOf(standing.values),
        letter,
        standing.marker,
        List.copyOf(events),
        remark(standing, events, rows, before.size()));
  }

  private String remark(
      Standing standing, TreeSet<Integer> events, List<ReaderRow> rows, int column) {
    if (standing.values.size() > 1) {
      return "two values at one offset";
    }
    for (String value : standing.values) {
      if (values.contains(value) && places.getOrDefault(value, new TreeSet<>()).size() > 1) {
        return "stands twice";
      }
      if (isAborted(standing) && readValues.contains(value)) {
        return "aborted, and read";
      }
      String without =
          rows.stream()
              .filter(it -> readers.contains(it.reader()))
              .filter(it -> it.sights().get(column) == Sight.PASSED)
              .map(ReaderRow::reader)
              .collect(Collectors.joining(", "));
      if (!events.isEmpty() && sentValues.contains(value) && !without.isEmpty()) {
        return "not handed to " + without;
      }
      if (!events.isEmpty()
          && sentValues.contains(value)
          && standing.handed.isEmpty()
          && !isAborted(standing)) {
        return "nobody was handed it";
      }
    }
    return "";
  }
}
