package io.fencepost.testkit.tour;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A session with a broker, written down: commands and what each broker answers.
 *
 * <pre>
 * # why a broker may differ, or what comes next
 * $ the command
 * &lt; a line of its input
 * | a line that both brokers answer
 * k a line of Apache Kafka alone
 * f a line of Fencepost alone
 * </pre>
 *
 * With {@code -Dfencepost.rewrite=true} a run writes its broker's lines anew; review them by diff.
 */
public final class Tour {
  private static final Path DIRECTORY = Path.of("src", "test", "resources", "tours");

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Whose answers they are. */
  public enum Broker {
    KAFKA,
    FENCEPOST
  }

  /** One command with its answers. */
  public record Step(
      List<String> comments,
      String command,
      List<String> input,
      List<String> kafka,
      List<String> fencepost) {
    List<String> of(Broker broker) {
      return broker == Broker.KAFKA ? kafka : fencepost;
    }

    private Step answering(Broker broker, List<String> lines) {
      return broker == Broker.KAFKA
          ? new Step(comments, command, input, List.copyOf(lines), fencepost)
          : new Step(comments, command, input, kafka, List.copyOf(lines));
    }

    private String text(Broker broker) {
      return "$ " + command + "\n" + lines("", of(broker));
    }

    private String text() {
      return lines("", comments)
          + lines("$ ", List.of(command))
          + lines("< ", input)
          + bothAnswers();
    }

    /** As few lines of one broker alone as possible: the longest common subsequence is shared. */
    private String bothAnswers() {
      int[][] common = new int[kafka.size() + 1][fencepost.size() + 1];
      for (int k = kafka.size() - 1; k >= 0; k--) {
        for (int f = fencepost.size() - 1; f >= 0; f--) {
          common[k][f] =
              kafka.get(k).equals(fencepost.get(f))
                  ? common[k + 1][f + 1] + 1
                  : Math.max(common[k + 1][f], common[k][f + 1]);
        }
      }
      StringBuilder text = new StringBuilder();
      int k = 0;
      int f = 0;
      while (k < kafka.size() || f < fencepost.size()) {
        if (k < kafka.size() && f < fencepost.size() && kafka.get(k).equals(fencepost.get(f))) {
          text.append(lines("| ", List.of(kafka.get(k++))));
          f++;
        } else if (f == fencepost.size()
            || (k < kafka.size() && common[k + 1][f] >= common[k][f + 1])) {
          text.append(lines("k ", List.of(kafka.get(k++))));
        } else {
          text.append(lines("f ", List.of(fencepost.get(f++))));
        }
      }
      return text.toString();
    }

    private static String lines(String prefix, List<String> lines) {
      StringBuilder text = new StringBuilder();
      lines.forEach(line -> text.append((prefix + line).stripTrailing()).append('\n'));
      return text.toString();
    }
  }

  /** What a run of a tour should have said, and what it said. */
  public record Outcome(String expected, String actual) {}

  private final Path file;
  private final List<Step> steps;

  private Tour(Path file, List<Step> steps) {
    this.file = file;
    this.steps = steps;
  }

  /** Reads {@code src/test/resources/tours/NAME.tour}. */
  public static Tour read(String name) {
    Path file = DIRECTORY.resolve(name + ".tour");
    try {
      return new Tour(file, parse(Files.exists(file) ? Files.readAllLines(file) : List.of()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Step> parse(List<String> lines) {
    List<Step> steps = new ArrayList<>();
    List<String> comments = new ArrayList<>();
    for (String line : lines) {
      String text = line.length() > 2 ? line.substring(2) : "";
      Step last = steps.isEmpty() ? null : steps.get(steps.size() - 1);
      char kind = line.isEmpty() ? '#' : line.charAt(0);
      if (kind == '#') {
        comments.add(line);
      } else if (kind == '$') {
        steps.add(
            new Step(
                List.copyOf(comments),
                text,
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>()));
        comments.clear();
      } else if (last == null || "<|kf".indexOf(kind) < 0) {
        throw new IllegalArgumentException("what is this line of a tour? " + line);
      } else if (kind == '<') {
        last.input().add(text);
      } else {
        if (kind != 'f') {
          last.kafka().add(text);
        }
        if (kind != 'k') {
          last.fencepost().add(text);
        }
      }
    }
    return steps;
  }

  /**
   * Runs the commands of the file in their order. One that only looks is run again for a while if
   * its answer is another one: brokers may make changes come true after they answered.
   */
  public Outcome run(
      Broker broker, Function<Step, List<String>> command, Predicate<Step> onlyLooks) {
    List<Step> answered = new ArrayList<>();
    for (Step step : steps) {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      Step now;
      do {
        now = step.answering(broker, trimmed(command.apply(step)));
      } while (!now.equals(step)
          && onlyLooks.test(step)
          && !isRewriting()
          && System.nanoTime() < deadline);
      answered.add(now);
    }
    return outcome(broker, answered);
  }

  /** Compares with what a program did, which has the commands in itself: a title, then lines. */
  public Outcome compare(Broker broker, List<List<String>> told) {
    List<Step> answered = new ArrayList<>();
    for (List<String> each : told) {
      String command = each.get(0);
      Step known =
          steps.stream()
              .filter(step -> step.command().equals(command))
              .findFirst()
              .orElse(new Step(List.of(), command, List.of(), List.of(), List.of()));
      answered.add(known.answering(broker, trimmed(each.subList(1, each.size()))));
    }
    return outcome(broker, answered);
  }

  private static boolean isRewriting() {
    return Boolean.getBoolean("fencepost.rewrite");
  }

  private static List<String> trimmed(List<String> lines) {
    return lines.stream().map(String::stripTrailing).toList();
  }

  private Outcome outcome(Broker broker, List<Step> answered) {
    if (isRewriting()) {
      StringBuilder all = new StringBuilder();
      answered.forEach(step -> all.append(step.text()));
      try {
        Files.createDirectories(DIRECTORY);
        Files.writeString(file, all);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return new Outcome("", "");
    }
    return new Outcome(text(broker, steps), text(broker, answered));
  }

  private static String text(Broker broker, List<Step> steps) {
    StringBuilder text = new StringBuilder();
    steps.forEach(step -> text.append(step.text(broker)));
    return text.toString();
  }
}
