package io.fencepost.testkit.history.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.testkit.history.AcceptedOnce;
import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.ConservedSums;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.OutputOfInput;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** P1, P4 and P5 over the jobs of others, whose history says what they read and write. */
class FlowsTest {
  private static final Check OUTPUT = new OutputOfInput();
  private static final Check ONCE = new AcceptedOnce();
  private static final Check SUMS = new ConservedSums();

  private static String flow(String input, String output, String takes) {
    return "{'event':'flow','group':'g','input':'%s','output':'%s','takes':'%s'}"
        .formatted(input, output, takes);
  }

  private static String read(String topic, int offset, String more) {
    return ("{'event':'read','reader':'r','isolation':'read_committed','topic':'%s','partition':0,"
            + "'offset':%d,'value':'%s %d'%s}")
        .formatted(topic, offset, topic, offset, more.isEmpty() ? "" : "," + more);
  }

  private static String of(String origin) {
    return "'origin':'" + origin + "'";
  }

  private static String key(String key) {
    return "'key':'" + key + "'";
  }

  private static String committed(String topic, int offset) {
    return ("{'event':'committed_offset','outcome':'ok','group':'g','topic':'%s','partition':0,"
            + "'offset':%d}")
        .formatted(topic, offset);
  }

  private static String passed(String topic) {
    return ("{'event':'passed','reader':'r','isolation':'read_committed','topic':'%s','partition':0,"
                + "'position':9}")
        .formatted(topic);
  }

  private static History history(String... lines) {
    String text =
        Stream.concat(Stream.of(lines), Stream.of("{'event':'finished'}"))
            .collect(Collectors.joining("\n", "", "\n"))
            .replace('\'', '"');
    try {
      HistoryFile file =
          HistoryFile.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
      assertThat(file.badLines()).isEmpty();
      return file.history();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Verdict verdict(Check check, String... lines) {
    return Verification.verdict(history(lines), check);
  }

  /** The numbers of the lines that show it. */
  private static List<Long> witness(Check check, String... lines) {
    History history = history(lines);
    Verdict verdict = Verification.verdict(history, check);
    assertThat(verdict).isInstanceOf(Verdict.Fail.class);
    return history.numbered(((Verdict.Fail) verdict).events()).stream()
        .map(History.Numbered::line)
        .toList();
  }

  @Test
  void a_job_makes_one_record_of_each() {
    String[] fine = {
      flow("in", "out", "each"),
      read("in", 0, ""),
      read("in", 2, ""),
      read("in", 3, ""),
      read("out", 5, of("0@2")),
      read("out", 6, of("in-0@0")),
      committed("in", 3)
    };
    assertThat(verdict(OUTPUT, fine)).isEqualTo(new Verdict.Pass(2));
    assertThat(verdict(ONCE, fine)).isEqualTo(new Verdict.Pass(2));
    assertThat(verdict(SUMS, fine)).isInstanceOf(Verdict.Vacuous.class);

    String[] lost = fine.clone();
    lost[4] = "";
    assertThat(witness(OUTPUT, lost)).containsExactly(3L, 6L, 7L);
    assertThat(witness(ONCE, lost)).containsExactly(3L, 6L, 7L);
    String[] twice = fine.clone();
    twice[3] = read("out", 9, of("in-0@2"));
    assertThat(witness(OUTPUT, twice)).containsExactly(4L, 5L);
    assertThat(witness(ONCE, twice)).containsExactly(4L, 5L);
    String[] early = fine.clone();
    early[6] = committed("in", 2);
    assertThat(witness(OUTPUT, early)).containsExactly(5L, 7L);
    String[] foreign = fine.clone();
    foreign[3] = read("out", 9, of("somewhere"));
    assertThat(witness(OUTPUT, foreign)).containsExactly(4L);
  }

  @Test
  void an_output_is_made_of_the_topics_that_feed_it() {
    String[] fine = {
      flow("left", "out", "each"),
      flow("right", "out", "each"),
      read("left", 0, ""),
      read("right", 0, ""),
      read("out", 0, of("left-0@0")),
      read("out", 1, of("right-0@0")),
      committed("left", 1),
      committed("right", 1)
    };
    assertThat(verdict(OUTPUT, fine)).isEqualTo(new Verdict.Pass(2));
    String[] unclear = fine.clone();
    unclear[4] = read("out", 0, of("0@0"));
    assertThat(verdict(OUTPUT, unclear)).as("0@0 may be of both").isInstanceOf(Verdict.Fail.class);
  }

  @Test
  void where_nobody_reads_an_output_nothing_can_be_missing() {
    String[] unread = {
      flow("in", "out", "each"),
      read("in", 0, "'amount':'1.10'"),
      committed("in", 1),
      "{'event':'send','outcome':'ok','topic':'out','partition':0,'value':'made','offset':0}",
      passed("out").replace("read_committed", "read_uncommitted")
    };
    for (Check check : List.of(OUTPUT, ONCE, SUMS)) {
      assertThat(verdict(check, unread))
          .as(check.id())
          .isEqualTo(new Verdict.Vacuous("no read_committed reader of out"));
    }
    String[] some = unread.clone();
    some[0] = flow("in", "out", "some");
    assertThat(verdict(OUTPUT, some))
        .isEqualTo(new Verdict.Vacuous("no read_committed reader of out"));
    String[] read = unread.clone();
    read[4] = passed("out");
    for (Check check : List.of(OUTPUT, ONCE, SUMS)) {
      assertThat(witness(check, read)).as(check.id()).containsExactly(2L, 3L, 5L);
    }
  }

  @Test
  void only_the_outputs_that_could_hold_it_must_be_read() {
    String[] lines = {
      flow("in", "first", "first"),
      flow("in", "again", "again"),
      read("in", 0, key("a")),
      passed("first"),
      committed("in", 1)
    };
    assertThat(witness(OUTPUT, lines)).containsExactly(3L, 4L, 5L);
    lines[3] = read("first", 0, key("a") + "," + of("in-0@0"));
    assertThat(verdict(OUTPUT, lines)).isEqualTo(new Verdict.Pass(1));
    String[] twice = {
      lines[0], lines[1], lines[2], read("in", 1, key("a")), lines[3], committed("in", 2)
    };
    assertThat(verdict(OUTPUT, twice))
        .isEqualTo(new Verdict.Vacuous("no read_committed reader of again"));
  }

  @Test
  void a_record_goes_here_or_there() {
    String[] fine = {
      flow("in", "good", "either"),
      flow("in", "dead", "either"),
      read("in", 0, ""),
      read("in", 1, ""),
      read("good", 0, of("in-0@0")),
      read("dead", 0, of("in-0@1")),
      committed("in", 2)
    };
    assertThat(verdict(OUTPUT, fine)).isEqualTo(new Verdict.Pass(2));
    String[] both = fine.clone();
    both[5] = read("dead", 0, of("in-0@0"));
    assertThat(witness(OUTPUT, both)).containsExactly(5L, 6L);
    String[] neither = fine.clone();
    neither[5] = passed("dead");
    assertThat(witness(ONCE, neither)).containsExactly(4L, 5L, 6L, 7L);
  }

  @Test
  void a_job_keeps_the_first_of_each_key() {
    String[] fine = {
      flow("in", "out", "first"),
      read("in", 0, key("a")),
      read("in", 1, key("a")),
      read("in", 2, key("b")),
      read("out", 0, key("a") + "," + of("in-0@0")),
      read("out", 1, key("b") + "," + of("in-0@2")),
      committed("in", 3)
    };
    assertThat(verdict(OUTPUT, fine)).isEqualTo(new Verdict.Pass(3));
    assertThat(verdict(ONCE, fine)).isEqualTo(new Verdict.Pass(3));
    String[] second = fine.clone();
    second[4] = read("out", 0, key("a") + "," + of("in-0@1"));
    assertThat(witness(OUTPUT, second)).containsExactly(2L, 3L, 5L);
    String[] twice = fine.clone();
    twice[5] = read("out", 1, key("a") + "," + of("in-0@1"));
    assertThat(witness(ONCE, twice)).containsExactly(5L, 6L);
    String[] other = fine.clone();
    other[5] = read("out", 1, key("c") + "," + of("in-0@2"));
    assertThat(witness(OUTPUT, other)).containsExactly(4L, 6L);
    String[] keyless = fine.clone();
    keyless[3] = read("in", 2, "");
    assertThat(verdict(OUTPUT, keyless))
        .isInstanceOfSatisfying(
            Verdict.Unknown.class,
            unknown -> assertThat(unknown.reason()).contains("of in says no key"));
  }

  @Test
  void a_job_makes_several_records_of_some() {
    String[] fine = {
      flow("in", "out", "some"),
      read("in", 0, ""),
      read("in", 1, ""),
      read("out", 0, of("in-0@1#1")),
      read("out", 1, of("in-0@1#2")),
      committed("in", 2)
    };
    assertThat(verdict(OUTPUT, fine)).isEqualTo(new Verdict.Pass(1));
    String[] twice = fine.clone();
    twice[4] = read("out", 1, of("in-0@1#1"));
    assertThat(witness(OUTPUT, twice)).containsExactly(4L, 5L);
  }

  @Test
  void nothing_is_lost_of_an_amount() {
    String[] fine = {
      flow("in", "out", "each"),
      read("in", 0, "'amount':'1.10'"),
      read("in", 1, "'amount':2"),
      read("out", 0, of("in-0@0") + ",'amount':1.1"),
      read("out", 1, of("in-0@1") + ",'amount':'2.00'"),
      committed("in", 2)
    };
    assertThat(verdict(SUMS, fine)).isEqualTo(new Verdict.Pass(2));
    assertThat(verdict(OUTPUT, fine)).isEqualTo(new Verdict.Pass(2));
    String[] changed = fine.clone();
    changed[4] = read("out", 1, of("in-0@1") + ",'amount':'2.01'");
    assertThat(witness(SUMS, changed)).containsExactly(3L, 5L);
    String[] unsaid = fine.clone();
    unsaid[4] = read("out", 1, of("in-0@1"));
    assertThat(verdict(SUMS, unsaid)).isInstanceOf(Verdict.Unknown.class);
  }

  @Test
  void what_the_history_does_not_say_is_told() {
    String input = read("in", 0, "");
    String output = read("out", 0, of("in-0@0"));
    assertThat(verdict(OUTPUT, input, output, committed("in", 1)))
        .isEqualTo(
            new Verdict.Vacuous(
                "there is no 'flow' event, which says what a job reads and writes"));
    assertThat(verdict(OUTPUT, flow("in", "out", "each"), input, output))
        .isEqualTo(new Verdict.Vacuous("there is no 'committed_offset' of group g in in"));
    assertThat(
            verdict(
                OUTPUT, flow("in", "out", "each"), input, read("out", 7, ""), committed("in", 1)))
        .isInstanceOfSatisfying(
            Verdict.Unknown.class,
            unknown -> assertThat(unknown.witness()).contains("of out says no origin", "out 7"));
  }
}
