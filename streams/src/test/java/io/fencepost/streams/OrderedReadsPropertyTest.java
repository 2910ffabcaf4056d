package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.test.JobTest;
import io.fencepost.streams.test.TestRecord;
import io.fencepost.streams.test.TestTopic;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Ranges of {@link Store#forEach}, which merges writes and deletions of the open transaction (and
 * of the input at hand) with what is stored, against a TreeMap. Inputs that fail, aborts, crashes
 * and lost state come in between. A failing run prints its seed; run it alone with
 * -Dfencepost.seed=0x….
 */
class OrderedReadsPropertyTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final StoreSpec<Long, String> STORE =
      StoreSpec.keyed("sorted", Serdes.Long(), Serdes.String());
  private static final int KEYS = 900; // more than are read at once

  /** {@code put K V}, {@code delete K}, {@code fill FROM TO V}, {@code read FROM TO LIMIT}. */
  private static void obey(String command, Store<Long, String> store, List<String> read) {
    String[] words = command.split(" ");
    switch (words[0]) {
      case "put" -> store.put(Long.parseLong(words[1]), words[2]);
      case "delete" -> store.delete(Long.parseLong(words[1]));
      case "fill" -> {
        for (long key = Long.parseLong(words[1]); key < Long.parseLong(words[2]); key++) {
          store.put(key, words[3]);
        }
      }
      case "read" -> {
        int limit = Integer.parseInt(words[3]);
        int before = read.size();
        store.forEach(
            bound(words[1]),
            bound(words[2]),
            (key, value) -> {
              read.add(key + "=" + value);
              return read.size() - before < limit;
            });
      }
      case "drain" -> // changes the store while it is read
          store.forEach(
              bound(words[1]),
              bound(words[2]),
              (key, value) -> {
                store.delete(key);
                return true;
              });
      default -> throw new IllegalStateException("told to fail");
    }
  }

  private static @Nullable Long bound(String word) {
    return word.equals("-") ? null : Long.valueOf(word);
  }

  private static Job job() {
    Job job = Job.named("sorting").deadLetters("dead");
    job.from("in", TEXT, TEXT)
        .<String, String, Long, String>process(
            STORE,
            (in, store, out) -> {
              List<String> read = new ArrayList<>();
              for (String command : in.value().split(",")) {
                obey(command, store, read);
              }
              out.emit(in.withValue(String.join(" ", read)));
            })
        .to("out", TEXT, TEXT);
    return job;
  }

  @Test
  void ranges_show_exactly_what_a_sorted_map_would() {
    String given = System.getProperty("fencepost.seed", "");
    TreeSet<String> seen = new TreeSet<>();
    if (!given.isEmpty()) {
      run(Long.decode(given), seen);
      return;
    }
    for (long seed = 1; seed <= 30; seed++) {
      run(seed, seen);
    }
    assertThat(seen).contains("long read", "cut read", "empty range", "failed", "abort", "lost");
  }

  private static void run(long seed, TreeSet<String> seen) {
    Random random = new Random(seed);
    TreeMap<Long, String> model = new TreeMap<>();
    List<String> expected = new ArrayList<>();
    try (JobTest test = JobTest.of(job())) {
      TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
      for (int input = 0; input < 40; input++) {
        List<String> commands = commands(random);
        TreeMap<Long, String> after = new TreeMap<>(model);
        List<String> read = new ArrayList<>();
        boolean fails = false;
        for (String command : commands) {
          fails |= !model(command, after, read, seen);
        }
        if (fails) {
          seen.add("failed");
        } else {
          model = after;
          expected.add(String.join(" ", read));
        }
        in.send("k", String.join(",", commands));
        disturb(random, test, seen);
      }
      test.run();
      assertThat(test.topic("out", TEXT, TEXT).committed())
          .as("seed 0x%x", seed)
          .extracting(TestRecord::value)
          .containsExactlyElementsOf(expected);
      assertThat(test.store(STORE).all()).as("seed 0x%x", seed).isEqualTo(model);
    }
  }

  private static List<String> commands(Random random) {
    List<String> commands = new ArrayList<>();
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      long key = random.nextInt(KEYS);
      commands.add(
          switch (random.nextInt(12)) {
            case 0, 1, 2 -> "put " + key + " v" + random.nextInt(100);
            case 3, 4 -> "delete " + key;
            case 5 -> "fill " + key + " " + (key + random.nextInt(KEYS)) + " f" + key;
            case 6 -> "drain " + key + " " + (key + random.nextInt(400));
            case 7 -> random.nextInt(4) == 0 ? "fail" : "read - - " + Integer.MAX_VALUE;
            default -> "read " + end(random) + " " + end(random) + " " + limit(random);
          });
    }
    return commands;
  }

  private static String end(Random random) {
    return random.nextInt(4) == 0 ? "-" : String.valueOf(random.nextInt(KEYS));
  }

  private static int limit(Random random) {
    return random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(300);
  }

  /** False if the command fails. */
  private static boolean model(
      String command, TreeMap<Long, String> map, List<String> read, TreeSet<String> seen) {
    String[] words = command.split(" ");
    switch (words[0]) {
      case "put" -> map.put(Long.valueOf(words[1]), words[2]);
      case "delete" -> map.remove(Long.valueOf(words[1]));
      case "fill" -> {
        for (long key = Long.parseLong(words[1]); key < Long.parseLong(words[2]); key++) {
          map.put(key, words[3]);
        }
      }
      case "drain" -> range(map, words).clear();
      case "read" -> {
        NavigableMap<Long, String> range = range(map, words);
        int limit = Integer.parseInt(words[3]);
        range.entrySet().stream()
            .limit(limit)
            .forEach(entry -> read.add(entry.getKey() + "=" + entry.getValue()));
        seen.add(range.isEmpty() ? "empty range" : "read");
        seen.add(Math.min(limit, range.size()) > 512 ? "long read" : "read");
        seen.add(limit < range.size() ? "cut read" : "read");
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private static NavigableMap<Long, String> range(TreeMap<Long, String> map, String[] words) {
    Long from = bound(words[1]);
    Long to = bound(words[2]);
    if (from != null && to != null && from >= to) {
      return new TreeMap<>();
    }
    NavigableMap<Long, String> range = map;
    range = from == null ? range : range.tailMap(from, true);
    return to == null ? range : range.headMap(to, false);
  }

  private static void disturb(Random random, JobTest test, TreeSet<String> seen) {
    switch (random.nextInt(12)) {
      case 0 -> test.run();
      case 1 -> {
        seen.add("abort");
        test.abortNext().run();
      }
      case 2 -> test.restart();
      case 3 -> {
        seen.add("lost");
        test.loseState().crash();
      }
      default -> {} // some inputs share a transaction
    }
  }
}
