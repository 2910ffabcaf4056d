package io.fencepost.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class LogTableTest {
  private static final LogReading LOG =
      new LogReading(
          new TopicPartition("t", 0),
          0,
          3,
          5,
          List.of(
              new LogRow(0, null, "p", LogRow.State.PLAIN),
              new LogRow(1, "a", "x", LogRow.State.COMMITTED),
              new LogRow(2, "a", "COMMIT", LogRow.State.MARKER),
              new LogRow(3, "b", "y", LogRow.State.OPEN),
              new LogRow(4, "c", "z", LogRow.State.ABORTED)),
          List.of(new LogReading.SeenValue(0, "p"), new LogReading.SeenValue(1, "x")),
          List.of());

  @Test
  void each_state_has_its_colour_on_a_terminal() {
    assertThat(LogTable.of(LOG, IsolationLevel.READ_COMMITTED).text(true))
        .isEqualTo(
            """
            t-0: LSO 3, high watermark 5
            B[OFFSET  TRANSACTION  VALUE   STATE      READ_COMMITTED]
                 0  -            p       plain      seen
            G[     1  a            x       committed  seen]
            D[     2  a            COMMIT  marker     no record]
            ------  LSO: read_committed stops here
            Y[     3  b            y       open       not yet]
            R[     4  c            z       aborted    not yet]\
            """
                .replace("B[", "\u001b[1m")
                .replace("G[", "\u001b[32m")
                .replace("D[", "\u001b[2m")
                .replace("Y[", "\u001b[33m")
                .replace("R[", "\u001b[31m")
                .replace("]", "\u001b[0m"));
  }

  @Test
  void a_pipe_gets_no_colour_unless_it_is_asked_for() {
    assertThat(Terminal.isColoured(Map.of(), false)).isFalse();
    assertThat(Terminal.isColoured(Map.of(), true)).isTrue();
    for (String name : List.of("CLICOLOR_FORCE", "FORCE_COLOR")) {
      assertThat(Terminal.isColoured(Map.of(name, "1"), false)).as(name).isTrue();
      assertThat(Terminal.isColoured(Map.of(name, "0"), false)).as(name).isFalse();
      assertThat(Terminal.isColoured(Map.of(name, ""), false)).as(name).isFalse();
      assertThat(Terminal.isColoured(Map.of(name, "1", "NO_COLOR", "1"), true)).isFalse();
    }
    assertThat(LogTable.of(LOG, null).text(false)).doesNotContain("\u001b");
  }

  @Test
  void of_a_long_log_the_end_is_shown() {
    List<LogRow> rows =
        java.util.stream.LongStream.range(0, 1_000)
            .mapToObj(offset -> new LogRow(offset, null, "v", LogRow.State.PLAIN))
            .toList();
    LogReading log =
        new LogReading(new TopicPartition("t", 0), 0, 1_000, 1_000, rows, List.of(), List.of());
    assertThat(LogTable.of(log, null).plainText())
        .startsWith("t-0: LSO 1000, high watermark 1000, the last 200 of 1000\n")
        .contains("\n   800  -")
        .doesNotContain("\n   799  -");
  }
}
