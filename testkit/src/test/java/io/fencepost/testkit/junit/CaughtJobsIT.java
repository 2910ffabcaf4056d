package io.fencepost.testkit.junit;

import static io.fencepost.testkit.junit.FencepostAssertions.assertExactlyOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fencepost.streams.Job;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.history.disk.HistoryFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Jobs that are wrong are caught at the step where it tells, and what is left of it says so. */
@Isolated("it sets system properties")
class CaughtJobsIT {
  private static final String[] PAYMENTS =
      IntStream.range(0, 40).mapToObj(i -> "payment " + i).toArray(String[]::new);

  @TempDir private Path kept;

  @Test
  void a_count_in_a_variable_is_not_taken_back_by_an_abort() throws IOException {
    AtomicLong count = new AtomicLong();
    Job job = Job.named("counting");
    job.from("payments", Serdes.String(), Serdes.String())
        .mapValues(value -> count.incrementAndGet())
        .to("counts", Serdes.String(), Serdes.Long());
    List<KeyValue<String, String>> input =
        List.of(PAYMENTS).stream().map(it -> KeyValue.of("key", it)).toList();
    FaultPlan plan = FaultPlan.at(FaultPoints.BEFORE_STAGE).occurrence(3).failed();
    String message =
        caught(
            () ->
                assertExactlyOnce(job)
                    .partitions(1)
                    .from("payments", Serdes.String(), Serdes.String(), input)
                    .to(
                        "counts",
                        Serdes.String(),
                        Serdes.Long(),
                        all ->
                            LongStream.rangeClosed(1, all.size())
                                .mapToObj(i -> KeyValue.of("key", i))
                                .toList())
                    .under(plan));
    assertThat(message)
        .containsPattern("P1 missing in counts: [0-9]+ records?\n    key=[0-9]+\n")
        .containsPattern("P1 not expected in counts: [0-9]+ records?\n    key=41 at counts-0@");
    holdsInFiles(message, "before-stage#3:failed", "key=41");
  }

  @Test
  void what_is_sent_past_the_transaction_comes_twice_after_a_kill() throws IOException {
    try (TestCluster cluster = TestCluster.start(1)) {
      try (KafkaProducer<String, String> aside =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", cluster.bootstrapServers()),
              new StringSerializer(),
              new StringSerializer())) {
        Job job = Job.named("hasty");
        job.from("payments", Serdes.String(), Serdes.String())
            .mapValues(
                value -> {
                  var unused = aside.send(new ProducerRecord<>("charges", "charged " + value));
                  aside.flush();
                  return value;
                })
            .to("done", Serdes.String(), Serdes.String());
        String message =
            caught(
                () ->
                    assertExactlyOnce(job)
                        .on(cluster)
                        .partitions(1)
                        .from("payments", PAYMENTS)
                        .to("charges", all -> all.stream().map(it -> "charged " + it).toList())
                        .under(FaultPlan.parse("kill job@after-stage#2")));
        assertThat(message)
            .containsPattern("P4 too often in charges: [0-9]+ records\n")
            .containsPattern("    charged payment 4: [2-9] instead of 1, at charges-0@")
            .contains("1 restart");
        holdsInFiles(message, "kill job@after-stage#2", "charged payment 4");
      }
    }
  }

  @Test
  void a_job_that_is_too_slow_is_not_told_as_one_that_ends() {
    Job job = Job.named("slow");
    job.from("payments", Serdes.String(), Serdes.String())
        .mapValues(
            value ->
                new CompletableFuture<String>()
                    .completeOnTimeout(value, 1, TimeUnit.SECONDS)
                    .join())
        .to("charges", Serdes.String(), Serdes.String());
    String message =
        caught(
            () ->
                assertExactlyOnce(job)
                    .within(Duration.ofSeconds(4))
                    .from("payments", PAYMENTS)
                    .to("charges", all -> all)
                    .under(FaultPlan.NONE));
    assertThat(message)
        .contains("E3 the job has not read its input within 4 s")
        .doesNotContain("again and again");
  }

  private String caught(Runnable run) {
    System.setProperty("fencepost.kept", kept.toString());
    try {
      return String.valueOf(catchThrowable(run::run).getMessage());
    } finally {
      System.clearProperty("fencepost.kept");
    }
  }

  /** The message names the files; page and history show the same as the message. */
  private static void holdsInFiles(String message, String plan, String witness) throws IOException {
    Path page = named(message, "page");
    assertThat(page).content().contains("<!doctype html>", plan, witness, "Broken");
    assertThat(page.resolveSibling("plan.txt")).hasContent(plan);
    try (InputStream in = Files.newInputStream(named(message, "history"))) {
      History history = HistoryFile.read(in).history();
      assertThat(history.all(Event.Fault.class))
          .extracting(Event.Fault::what)
          .anyMatch(it -> it.contains(plan.split("[@#]", -1)[0]));
      Map<String, Verdict> verdicts = Verification.verdicts(history, Verification.checks());
      assertThat(verdicts.get("E1")).isInstanceOf(Verdict.Fail.class);
    }
  }

  private static Path named(String message, String what) {
    String line = "  " + what + ": ";
    return Path.of(
        message
            .lines()
            .filter(it -> it.startsWith(line))
            .findFirst()
            .orElseThrow()
            .substring(line.length()));
  }
}
