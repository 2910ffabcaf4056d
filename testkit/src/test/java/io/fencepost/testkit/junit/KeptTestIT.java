package io.fencepost.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.history.disk.HistoryFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Runs classes of its own in JUnit, as they fail. */
@Isolated("it sets system properties")
class KeptTestIT {
  @Fencepost(topics = {"payments", "audit"})
  static class Failing {
    @Test
    void with_transactions(
        TestCluster cluster, @ReadCommitted(group = "readers") Consumer<String, String> reader) {
      cluster
          .log("payments")
          .transaction("a", t -> t.send("same", "<b>aborted</b>"))
          .interleave("b", FencepostAssertions.committed("same"))
          .abort("a")
          .transaction("c", t -> t.send("still open"));
      cluster.log("audit").plain("outside");
      reader.commitSync(Map.of(new TopicPartition("payments", 0), new OffsetAndMetadata(3)));
      throw new IllegalStateException("on <purpose>\nand so on");
    }
  }

  @Test
  void what_the_cluster_held_is_kept_as_a_history_and_a_page(@TempDir Path kept)
      throws IOException {
    Throwable failure = failures(kept, Failing.class).get(0);
    Path directory = kept.resolve("KeptTestIT$Failing.with_transactions");
    assertThat(failure)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("on <purpose>\nand so on");
    assertThat(failure.getSuppressed())
        .singleElement()
        .extracting(Throwable::getMessage)
        .isEqualTo(
            """
            what the cluster held when the test had failed
              page: %s
              history: %s
              rerun: mvn test -Dtest='KeptTestIT$Failing#with_transactions'\
            """
                .formatted(directory.resolve("report.html"), directory.resolve("history.jsonl")));
    History history = history(directory);
    assertThat(history.all(Event.Sent.class))
        .extracting(Event.Sent::value)
        .containsExactlyInAnyOrder(
            "same at payments-0@0 (aborted)",
            "<b>aborted</b> (aborted)",
            "same at payments-0@2",
            "still open (open)",
            "outside");
    assertThat(reads(history, Isolation.READ_COMMITTED))
        .containsExactlyInAnyOrder("same at payments-0@2", "outside");
    assertThat(reads(history, Isolation.READ_UNCOMMITTED)).hasSize(5);
    assertThat(history.all(Event.EndAsked.class))
        .extracting(Event.EndAsked::commit)
        .containsExactly(true, false);
    assertThat(history.all(Event.OffsetSeen.class))
        .extracting(Event.OffsetSeen::group, Event.OffsetSeen::offset)
        .containsExactly(org.assertj.core.groups.Tuple.tuple("readers", 3L));
    assertThat(history.all(Event.Bounds.class))
        .filteredOn(it -> it.partition().topic().equals("payments"))
        .extracting(Event.Bounds::lastStableOffset, Event.Bounds::highWatermark)
        .containsExactly(org.assertj.core.groups.Tuple.tuple(5L, 6L));
    Map<String, Verdict> verdicts = Verification.verdicts(history, Verification.checks());
    assertThat(verdicts)
        .allSatisfy((id, it) -> assertThat(it instanceof Verdict.Fail).isEqualTo(id.equals("E1")))
        .hasEntrySatisfying("V1", it -> assertThat(it).isInstanceOf(Verdict.Pass.class))
        .hasEntrySatisfying("V2", it -> assertThat(it).isInstanceOf(Verdict.Pass.class));
    assertThat(Files.readString(directory.resolve("report.html")))
        .contains(
            "The test failed: java.lang.IllegalStateException: on &lt;purpose&gt;; and so on.")
        .contains("The history is what the cluster held when the test had failed")
        .doesNotContain("<b>aborted</b>")
        .doesNotContain("last 2000 offsets");
  }

  @Fencepost(topics = "many:2")
  static class Much {
    @Test
    void more_than_is_read(Producer<String, Integer> producer) {
      List<Future<RecordMetadata>> sent =
          IntStream.range(0, 4_500)
              .mapToObj(i -> producer.send(new ProducerRecord<>("many", 0, null, i)))
              .toList();
      producer.flush();
      assertThat(sent).allMatch(Future::isDone);
      throw new IllegalStateException("on purpose");
    }
  }

  @Test
  void of_long_logs_the_end_is_read_and_the_page_says_so(@TempDir Path kept) throws IOException {
    failures(kept, Much.class);
    Path directory = kept.resolve("KeptTestIT$Much.more_than_is_read");
    assertThat(history(directory).all(Event.Sent.class))
        .hasSize(2_000)
        .allSatisfy(it -> assertThat(it.offset()).isBetween(2_500L, 4_499L));
    assertThat(Files.readString(directory.resolve("report.html")))
        .contains("Of many-0 the last 2000 offsets are shown, from 2500 on; its log begins at 0.");
  }

  @Fencepost(brokers = 3, topics = "payments:6")
  static class OneIsDown {
    @Test
    void after_a_broker_was_killed(TestCluster cluster) {
      cluster.brokers().kill(2);
      throw new IllegalStateException("on purpose");
    }
  }

  @Fencepost(topics = "payments")
  static class AllAreDown {
    @Test
    void after_its_only_broker_was_killed(TestCluster cluster) {
      cluster.brokers().kill(1);
      throw new IllegalStateException("on purpose");
    }
  }

  @Test
  void brokers_that_are_down_do_not_hide_the_failure(@TempDir Path kept) throws IOException {
    assertThat(failures(kept, OneIsDown.class)).singleElement().asString().endsWith("on purpose");
    assertThat(
            Files.readString(
                kept.resolve("KeptTestIT$OneIsDown.after_a_broker_was_killed/report.html")))
        .contains("The test failed: java.lang.IllegalStateException: on purpose.");
    assertThat(failures(kept, AllAreDown.class))
        .singleElement()
        .satisfies(it -> assertThat(it).hasMessage("on purpose").hasNoSuppressedExceptions());
    try (Stream<Path> all = Files.list(kept)) {
      assertThat(all).hasSize(1);
    }
  }

  @Fencepost
  static class FailingBefore {
    @BeforeAll
    static void before(TestCluster cluster) {
      assertThat(cluster).isNull();
    }

    @Test
    void never() {}
  }

  @Fencepost
  static class NotFailing {
    @Test
    void passes() {}

    @Test
    void is_skipped_by_an_assumption() {
      Assumptions.abort("on purpose");
    }
  }

  @Test
  void what_fails_before_all_tests_is_kept_and_what_does_not_fail_is_not(@TempDir Path kept)
      throws IOException {
    failures(kept, FailingBefore.class);
    failures(kept, NotFailing.class);
    try (Stream<Path> all = Files.list(kept)) {
      assertThat(all.map(it -> it.getFileName().toString()))
          .containsExactly("KeptTestIT$FailingBefore");
    }
  }

  private static List<String> reads(History history, Isolation isolation) {
    return history.all(Event.Read.class).stream()
        .filter(it -> it.isolation() == isolation)
        .map(Event.Read::value)
        .toList();
  }

  private static History history(Path directory) throws IOException {
    try (InputStream in = Files.newInputStream(directory.resolve("history.jsonl"))) {
      return HistoryFile.read(in).history();
    }
  }

  private static List<Throwable> failures(Path kept, Class<?> type) {
    System.setProperty("fencepost.kept", kept.toString());
    try {
      EngineExecutionResults results =
          EngineTestKit.engine("junit-jupiter").selectors(selectClass(type)).execute();
      return results.allEvents().failed().stream()
          .map(it -> it.getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow())
          .toList();
    } finally {
      System.clearProperty("fencepost.kept");
    }
  }
}
