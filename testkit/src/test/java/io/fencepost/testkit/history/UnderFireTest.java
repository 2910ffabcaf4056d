package io.fencepost.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Each check under fire is shown a history that holds and one that does not. */
class UnderFireTest {
  private static final TopicPartition INPUT = new TopicPartition(Pipeline.INPUT, 0);
  private static final TopicPartition ACCEPTED = new TopicPartition(Pipeline.ACCEPTED, 0);
  private static final TopicPartition STATES = new TopicPartition("__transaction_state", 0);
  private static final TreeSet<TopicPartition> NONE = new TreeSet<>();
  private static final TreeSet<TopicPartition> OF_INPUT = new TreeSet<>(List.of(INPUT));

  private static void holds(Check check, Event... events) {
    assertThat(verdict(check, events)).as(check.id()).isInstanceOf(Verdict.Pass.class);
  }

  private static void fails(Check check, Event... events) {
    assertThat(verdict(check, events)).as(check.id()).isInstanceOf(Verdict.Fail.class);
  }

  private static Verdict verdict(Check check, Event... events) {
    History history = new History();
    List.of(events).forEach(history::add);
    return check.check(history);
  }

  private static ProducerIdentity producer(int id, int epoch) {
    return new ProducerIdentity(id, (short) epoch);
  }

  private static Event state(String id, TxnState state, ProducerIdentity producer) {
    return new Event.StateLogged(
        STATES, 0, id, state, producer, state == TxnState.EMPTY ? NONE : OF_INPUT);
  }

  private static Event batch(ProducerIdentity producer, String... transactions) {
    return new Event.TransactionalBatch(
        INPUT, 0, 0, producer, new TreeSet<>(List.of(transactions)));
  }

  private static Event marker(ProducerIdentity producer, boolean commit) {
    return new Event.MarkerLogged(INPUT, 0, 0, producer, commit, 0);
  }

  private static String posting(String name, long number, String origin) {
    return new Posting(name, new Posting.Key("w", number), new BigDecimal("1.10"), origin).text();
  }

  private static Event read(TopicPartition partition, long offset, String value) {
    return new Event.Read("r", Isolation.READ_COMMITTED, partition, offset, value);
  }

  private static Event committed(long offset) {
    return new Event.OffsetSeen(Pipeline.GROUP, INPUT, offset);
  }

  private static Event sent(String transaction, String value) {
    return new Event.Sent(transaction, INPUT, value, Outcome.OK, 0);
  }

  private static Event took(String transaction, String value) {
    return new Event.Took(transaction, INPUT, 0, value);
  }

  @Test
  void every_check_has_an_id_of_its_own_and_a_sentence() {
    List<Check> all = new ArrayList<>(Check.all());
    all.addAll(Check.underFire());
    assertThat(all).extracting(Check::id).doesNotHaveDuplicates();
    assertThat(all).allSatisfy(check -> assertThat(Invariants.sentence(check.id())).isNotEmpty());
  }

  @Test
  void an_empty_history_proves_nothing() {
    for (Check check : Check.underFire()) {
      assertThat(verdict(check)).as(check.id()).isInstanceOf(Verdict.Vacuous.class);
    }
  }

  @Test
  void c1_two_sessions_under_one_identity() {
    holds(new SessionOwnership(), batch(producer(1, 0), "a.1/1"), batch(producer(1, 1), "a.2/1"));
    fails(new SessionOwnership(), batch(producer(1, 0), "a.1/1"), batch(producer(1, 0), "a.2/1"));
    fails(
        new SessionOwnership(),
        state("a", TxnState.EMPTY, producer(1, 0)),
        state("b", TxnState.EMPTY, producer(1, 1)));
  }

  @Test
  void c2_an_epoch_that_goes_back_and_a_producer_id_that_comes_back() {
    Event first = state("a", TxnState.EMPTY, producer(1, 5));
    holds(new EpochGrowth(), first, state("a", TxnState.EMPTY, producer(2, 0)));
    fails(new EpochGrowth(), first, state("a", TxnState.EMPTY, producer(1, 4)));
    fails(
        new EpochGrowth(),
        first,
        state("a", TxnState.EMPTY, producer(2, 0)),
        state("a", TxnState.EMPTY, producer(1, 6)));
  }

  @Test
  void c3_two_leaders_in_one_epoch_and_an_epoch_that_goes_back() {
    holds(new OneLeader(), new Event.Led(INPUT, 1, 1), new Event.Led(INPUT, 2, 2));
    fails(new OneLeader(), new Event.Led(INPUT, 1, 1), new Event.Led(INPUT, 1, 2));
    fails(
        new OneLeader(),
        new Event.TransactionalBatch(INPUT, 0, 5, producer(1, 0), new TreeSet<>()),
        new Event.MarkerLogged(INPUT, 1, 4, producer(1, 0), true, 0));
  }

  @Test
  void c4_a_move_that_the_table_does_not_know() {
    Event empty = state("a", TxnState.EMPTY, producer(1, 0));
    holds(new LegalMoves(), empty, state("a", TxnState.ONGOING, producer(1, 0)));
    fails(new LegalMoves(), empty, state("a", TxnState.PREPARE_COMMIT, producer(1, 0)));
  }

  @Test
  void c5_a_decision_that_is_reversed_or_never_carried_out() {
    Event prepared = state("a", TxnState.PREPARE_COMMIT, producer(1, 1));
    holds(new PrepareKept(), prepared, state("a", TxnState.COMPLETE_COMMIT, producer(1, 1)));
    fails(new PrepareKept(), prepared, state("a", TxnState.PREPARE_ABORT, producer(1, 2)));
    fails(new PrepareKept(), prepared);
  }

  @Test
  void c6_a_marker_without_decision_and_a_decision_without_marker() {
    Event prepared = state("a", TxnState.PREPARE_COMMIT, producer(1, 1));
    holds(new MarkersPrepared(), prepared, marker(producer(1, 1), true));
    fails(new MarkersPrepared(), prepared);
    fails(new MarkersPrepared(), marker(producer(1, 1), true));
    fails(new MarkersPrepared(), prepared, marker(producer(1, 1), false));
  }

  @Test
  void c7_c11_c12_requests_that_must_be_refused() {
    holds(new LateRequest(), new Event.Late("a.1", "END", Outcome.FAILED, "fenced"));
    fails(new LateRequest(), new Event.Late("a.1", "END", Outcome.OK, ""));
    holds(new StaleMember(), new Event.StaleStaged("a.1", Outcome.FAILED, "stale"));
    fails(new StaleMember(), new Event.StaleStaged("a.1", Outcome.OK, ""));
    holds(new TimedOut(), new Event.Overdue("a.1/1", Outcome.FAILED, "timed out"));
    fails(new TimedOut(), new Event.Overdue("a.1/1", Outcome.OK, ""));
  }

  @Test
  void c8_a_repeated_marker_that_ends_the_next_transaction() {
    Event first = batch(producer(1, 0), "a.1/1");
    Event end = marker(producer(1, 1), true);
    holds(new RepeatedMarker(), first, end, end);
    fails(new RepeatedMarker(), first, end, batch(producer(1, 1), "a.1/2"), end);
    fails(new RepeatedMarker(), first, end, marker(producer(1, 1), false));
  }

  @Test
  void c9_an_answer_that_the_log_contradicts() {
    Event data = batch(producer(1, 0), "a.1/1");
    Event answer = new Event.Ended("a.1/1", true, Outcome.OK);
    holds(new EndAgreement(), data, marker(producer(1, 1), true), answer);
    fails(new EndAgreement(), data, marker(producer(1, 1), false), answer);
  }

  @Test
  void c10_a_commit_of_a_fenced_session_that_is_acknowledged_or_seen() {
    Event old = new Event.Opened("a", "a.1");
    Event next = new Event.Opened("a", "a.2");
    Event asked = new Event.EndAsked("a.1/1", true);
    Event failed = new Event.Ended("a.1/1", true, Outcome.FAILED);
    Event acknowledged = new Event.Ended("a.1/1", true, Outcome.OK);
    holds(new FencedSession(), old, next, asked, failed);
    assertThat(verdict(new FencedSession(), old, asked, next, acknowledged))
        .isInstanceOf(Verdict.Vacuous.class);
    fails(new FencedSession(), old, next, asked, acknowledged);
    fails(new FencedSession(), old, next, asked, failed, sent("a.1/1", "v"), read(INPUT, 0, "v"));
  }

  @Test
  void l4_a_transaction_that_is_ended_twice_or_in_two_ways_or_by_an_old_marker() {
    Event data = batch(producer(1, 3), "a.1/1");
    holds(new OneEnd(), data, marker(producer(1, 4), true), marker(producer(1, 4), true));
    fails(new OneEnd(), data, marker(producer(1, 2), false));
    fails(new OneEnd(), data, marker(producer(1, 4), true), data, marker(producer(1, 5), true));
    fails(new OneEnd(), data, batch(producer(1, 4), "a.1/2"), marker(producer(1, 5), true));
    fails(
        new OneEnd(),
        data,
        new Event.TransactionalBatch(
            ACCEPTED, 0, 0, producer(1, 3), new TreeSet<>(List.of("a.1/1"))),
        marker(producer(1, 4), true),
        new Event.MarkerLogged(ACCEPTED, 1, 0, producer(1, 4), false, 0));
  }

  @Test
  void l5_a_reader_from_the_middle_that_is_handed_more_or_less_than_the_others() {
    Event probed = new Event.Probed("probe-1", INPUT, 1, 3);
    Event same = new Event.Read("probe-1", Isolation.READ_COMMITTED, INPUT, 2, "v2");
    Event more = new Event.Read("probe-1", Isolation.READ_COMMITTED, INPUT, 1, "v1");
    holds(new MidwayReads(), read(INPUT, 0, "v0"), read(INPUT, 2, "v2"), same, probed);
    fails(new MidwayReads(), read(INPUT, 2, "v2"), same, more, probed);
    fails(new MidwayReads(), read(INPUT, 2, "v2"), probed);
  }

  @Test
  void l8_anything_that_the_files_say() {
    holds(new ReplicaAgreement(), new Event.FilesChecked(7));
    fails(new ReplicaAgreement(), new Event.FilesChecked(7), new Event.FileFinding("differs"));
  }

  @Test
  void v7_transactions_that_read_of_each_other() {
    Event serve = sent("p.1/1", "v1");
    Event reply = sent("q.1/1", "v2");
    Event last = sent("p.1/2", "v3");
    Event forth = took("q.1/1", "v1");
    Event back = took("p.1/2", "v2");
    holds(new DependencyCycle(), serve, reply, last, forth, back);
    fails(new DependencyCycle(), serve, reply, forth, took("p.1/1", "v2"));
    fails(new DependencyCycle(), serve, took("p.1/1", "v1"));
  }

  @Test
  void v7_needs_clients_that_read_of_each_other_in_turn() {
    Event one = sent("p.1/1", "v1");
    Event two = sent("q.1/1", "v2");
    Event onward = took("r.1/1", "v2");
    assertThat(verdict(new DependencyCycle(), one, two, took("q.1/1", "v1"), onward))
        .isInstanceOf(Verdict.Vacuous.class);
  }

  @Test
  void v7_tells_the_cycle_and_not_what_hangs_on_it() {
    assertThat(
            verdict(
                new DependencyCycle(),
                sent("before", "v0"),
                sent("t1", "v1"),
                sent("t2", "v2"),
                sent("t3", "v3"),
                sent("after", "v4"),
                took("t1", "v0"),
                took("t2", "v1"),
                took("t3", "v2"),
                took("t1", "v3"),
                took("after", "v3"),
                took("later", "v4")))
        .isInstanceOfSatisfying(
            Verdict.Fail.class,
            fail ->
                assertThat(fail.witness())
                    .contains("t1", "t2", "t3")
                    .doesNotContain("before", "after", "later"));
  }

  @Test
  void v7_leaves_writes_alone_that_nobody_read() {
    Event[] turns = {
      sent("p.1/1", "v1"), sent("q.1/1", "v2"), sent("p.1/1", "v3"), sent("q.1/1", "v4")
    };
    assertThat(verdict(new DependencyCycle(), turns)).isInstanceOf(Verdict.Vacuous.class);
  }

  @Test
  void v8_an_aborted_record_that_is_kept_from_a_reader_of_everything() {
    Event sent = sent("t1", "v1");
    Event passed = new Event.Passed("u", Isolation.READ_UNCOMMITTED, INPUT, 1);
    holds(
        new AbortedShown(),
        sent,
        new Event.Read("u", Isolation.READ_UNCOMMITTED, INPUT, 0, "v1"),
        passed);
    fails(new AbortedShown(), sent, passed);
  }

  @Test
  void p1_p4_p5_an_output_too_many_or_missing_or_under_the_wrong_name() {
    Event first = read(INPUT, 0, posting("a:1", 1, ""));
    Event right = read(ACCEPTED, 0, posting("b:1", 1, "0@0"));
    Event twice = read(ACCEPTED, 1, posting("b:2", 1, "0@0"));
    for (Check check : List.of(new OutputOfInput(), new AcceptedOnce(), new ConservedSums())) {
      holds(check, first, right, committed(1));
      assertThat(verdict(check, first, committed(1))).isInstanceOf(Verdict.Vacuous.class);
      fails(
          check, first, new Event.Passed("r", Isolation.READ_COMMITTED, ACCEPTED, 1), committed(1));
      fails(check, first, right, committed(0));
      fails(check, first, right, twice, committed(1));
    }
    TopicPartition duplicates = new TopicPartition(Pipeline.DUPLICATES, 0);
    Event again = read(INPUT, 1, posting("a:2", 1, ""));
    Event duplicate = read(duplicates, 0, posting("b:2", 1, "0@1"));
    holds(new AcceptedOnce(), first, right, again, duplicate, committed(2));
    holds(new OutputOfInput(), first, right, again, duplicate, committed(2));
    fails(new OutputOfInput(), first, read(duplicates, 0, posting("b:1", 1, "0@0")), committed(1));
  }

  @Test
  void p2_p3_a_committed_offset_that_goes_back_or_was_never_committed() {
    Event staged = new Event.Staged("t1", Pipeline.GROUP, INPUT, 5);
    Event ended = new Event.Ended("t1", true, Outcome.OK);
    Event asked = new Event.OffsetAsked(Pipeline.GROUP, INPUT);
    holds(new CommittedOffsets(), committed(3), committed(5));
    fails(new CommittedOffsets(), committed(5), committed(3));
    holds(new StagedOffsets(), asked, staged, ended, committed(3));
    fails(new StagedOffsets(), staged, ended, asked, committed(3));
    fails(
        new StagedOffsets(), staged, new Event.Ended("t1", false, Outcome.OK), asked, committed(5));
  }

  @Test
  void a_job_remembers_by_the_metadata_of_its_offsets() {
    Seen seen = Seen.parse("");
    assertThat(seen.add(new Posting.Key("w-1p0", 1))).isTrue();
    assertThat(seen.add(new Posting.Key("w-2p0", 7))).isTrue();
    Seen later = Seen.parse(seen.text());
    assertThat(later.add(new Posting.Key("w-2p0", 7))).isFalse();
    assertThat(later.add(new Posting.Key("w-2p0", 8))).isTrue();
    assertThat(later.add(new Posting.Key("w-1p0", 2))).isTrue();
  }

  private static Event sentAt(String transaction, long offset) {
    return new Event.Sent(transaction, INPUT, "same", Outcome.OK, offset);
  }

  @Test
  void records_of_one_value_are_told_apart_by_their_offsets() {
    Event[] redone = {
      sentAt("a/1", 0),
      new Event.Ended("a/1", false, Outcome.OK),
      sentAt("a/2", 2),
      new Event.EndAsked("a/2", true),
      read(INPUT, 2, "same"),
      new Event.Ended("a/2", true, Outcome.OK),
      sentAt("a/3", 4),
      new Event.EndAsked("a/3", true),
      read(INPUT, 4, "same")
    };
    holds(new EarlyRead(), redone);
    holds(new AbortedRead(), redone);
    assertThat(verdict(new DuplicateOutput(), redone)).isInstanceOf(Verdict.Vacuous.class);
    redone[4] = read(INPUT, 0, "same");
    fails(new EarlyRead(), redone);
    fails(new AbortedRead(), redone);
  }

  @Test
  void of_a_value_that_was_sent_twice_to_where_nobody_knows_nothing_is_said() {
    Event[] unknown = {
      new Event.SendAsked("a/1", INPUT, "same"),
      new Event.EndAsked("a/1", true),
      read(INPUT, 0, "same"),
      new Event.SendAsked("a/2", INPUT, "same"),
      read(INPUT, 2, "same")
    };
    for (Check check : List.of(new EarlyRead(), new AbortedRead(), new DuplicateOutput())) {
      assertThat(verdict(check, unknown)).as(check.id()).isInstanceOf(Verdict.Vacuous.class);
    }
  }

  @Test
  void one_send_with_its_answer_is_no_repetition() {
    Event[] once = {
      new Event.SendAsked("a/1", INPUT, "same"),
      sentAt("a/1", 0),
      read(INPUT, 0, "same"),
      read(INPUT, 2, "same")
    };
    fails(new EarlyRead(), once);
    fails(new DuplicateOutput(), once);
  }

  @Test
  void a_transaction_is_not_torn_by_what_another_sent_again() {
    Event[] redone = {
      sentAt("a/1", 0),
      new Event.Sent("a/1", INPUT, "other", Outcome.OK, 1),
      new Event.Ended("a/1", false, Outcome.OK),
      sentAt("a/2", 3),
      new Event.Ended("a/2", true, Outcome.OK),
      read(INPUT, 3, "same"),
      new Event.Passed("r", Isolation.READ_COMMITTED, INPUT, 5)
    };
    holds(new AllOrNothing(), redone);
    redone[5] = read(INPUT, 0, "same");
    fails(new AllOrNothing(), redone);
  }
}
