package io.fencepost.testkit.prove.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.txn.txn.ProducerIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AuditTest {
  private static final TopicPartition OUTPUT = new TopicPartition("out", 0);
  private static final long NOW_MS = System.currentTimeMillis();

  private final ProofHistory history = new ProofHistory();
  private final Audit audit = new Audit(history);

  private static Topics.Line line(long offset, String key, String value) {
    return new Topics.Line("out-0", "out", offset, key, value);
  }

  private static WholeLogs.Batch records(long offset, int epoch, String... contents) {
    List<WholeLogs.Stored> stored = new ArrayList<>();
    for (String content : contents) {
      stored.add(new WholeLogs.Stored(offset + stored.size(), content));
    }
    return batch(offset, epoch, null, stored);
  }

  private static WholeLogs.Batch marker(long offset, int epoch, boolean commit) {
    return batch(offset, epoch, commit, List.of());
  }

  private static WholeLogs.Batch batch(
      long offset, int epoch, @Nullable Boolean commit, List<WholeLogs.Stored> stored) {
    return new WholeLogs.Batch(
        OUTPUT, offset, 0, NOW_MS, new ProducerIdentity(7, (short) epoch), commit, 0, stored);
  }

  private static SortedMap<String, Long> offsets(long first, long second) {
    return new TreeMap<>(Map.of("in-0", first, "in-1", second));
  }

  private Verdict.Fail fail(String id) {
    return Verdict.failures(audit.verdicts()).get(id);
  }

  @Test
  void p2_offsets_that_fall_short_of_the_input_are_told_as_those_beyond_it_are() {
    history.left(List.of(new Topics.Line("in-1", "in", 5, "k", "left")));
    history.offsets("job", offsets(9, 5));
    history.finish(List.of(), new TreeMap<>(), List.of());
    audit.offsets(offsets(8, 6), offsets(9, 5));
    assertThat(fail("P2").sentence())
        .isEqualTo(
            "in-0 is committed up to 9 and ends at 8; in-1 is committed up to 5 and ends at 6");
    assertThat(fail("P2").events())
        .contains(
            new Event.OffsetSeen("job", new TopicPartition("in", 1), 5),
            new Event.Sent(
                "plain:in-1@5 k=left", new TopicPartition("in", 1), "k=left", Outcome.OK, 5));
  }

  @Test
  void p2_offsets_at_the_ends_of_the_input_pass() {
    audit.offsets(offsets(8, 0), new TreeMap<>(Map.of("in-0", 8L)));
    assertThat(audit.verdicts().get("P2")).isInstanceOf(Verdict.Pass.class);
  }

  @Test
  void p1_shows_who_sent_what_stands_twice_and_where_what_is_missing_was_aborted() {
    List<Topics.Line> found = List.of(line(0, "a", "1"), line(2, "a", "1"));
    JobSends sends =
        history.finish(
            found,
            new TreeMap<>(Map.of(7L, "job-0")),
            List.of(
                records(0, 0, "a=1"),
                marker(1, 1, true),
                records(2, 1, "a=1"),
                marker(3, 2, true),
                records(4, 2, "b=2"),
                marker(5, 3, false)));
    audit.output(List.of(line(0, "a", "1"), line(1, "b", "2")), found);
    assertThat(sends.count()).isEqualTo(3);
    assertThat(sends.abortedCount()).isEqualTo(1);
    assertThat(audit.duplicateCount()).isEqualTo(1);
    assertThat(fail("P1").sentence()).contains("1 missing, such as out b=2", "1 too much");
    assertThat(fail("P1").events())
        .contains(
            new Event.Sent("job-0.1/0", OUTPUT, "a=1", Outcome.OK, 0),
            new Event.Sent("job-0.1/1", OUTPUT, "a=1", Outcome.OK, 2),
            new Event.Ended("job-0.1/1", true, Outcome.OK),
            new Event.Sent("job-0.1/2", OUTPUT, "b=2 (aborted)", Outcome.OK, 4),
            new Event.Ended("job-0.1/2", false, Outcome.OK));
  }

  @Test
  void transactions_of_the_older_protocol_are_told_apart_by_their_markers() {
    JobSends sends = new JobSends(new TreeMap<>(), new JobPaces());
    sends.take(
        List.of(
            records(0, 0, "a=1"), marker(1, 0, true), records(2, 0, "b=2"), marker(3, 0, false)));
    assertThat(sends.events().stream().map(JobSends.Timed::event))
        .contains(
            new Event.Ended("producer 7.1/0-0@out-0", true, Outcome.OK),
            new Event.Ended("producer 7.1/0-1@out-0", false, Outcome.OK));
  }

  @Test
  void a_transaction_has_the_times_of_its_worker_s_steps() {
    JobPaces paces = new JobPaces();
    assertThat(paces.opened("w", 5)).isEqualTo("w.1");
    paces.passed("w", new JobPaces.Step(10, "out"));
    paces.passed("w", new JobPaces.Step(11, "out"));
    paces.passed("w", new JobPaces.Step(12, ""));
    assertThat(paces.opened("w", 20)).isEqualTo("w.2");
    paces.passed("w", new JobPaces.Step(21, "out"));
    JobPaces.Pace first = paces.next("w", 15);
    assertThat(first.session()).isEqualTo("w.1");
    assertThat(List.of(first.sentMs("out"), first.sentMs("out"), first.endAskedMs()))
        .containsExactly(10L, 11L, 12L);
    JobPaces.Pace second = paces.next("w", 40);
    assertThat(second.session()).isEqualTo("w.2");
    assertThat(List.of(second.sentMs("out"), second.endAskedMs())).containsExactly(21L, 40L);
  }
}
