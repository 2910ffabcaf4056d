package io.fencepost.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Remnant.Kind;
import io.fencepost.txn.txn.ProducerIdentity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * L7 is shown one history that holds, and the same with one event more, less or changed for each
 * way of removing too much. In it {@code a}, {@code b} and {@code c} write one key: {@code a/1} is
 * obsolete and gone, {@code b/1} was aborted and is gone, {@code c/1} is the newest.
 */
class SafeRemovalTest {
  private static final TopicPartition RATES = new TopicPartition(Shrinking.COMPACTED, 0);
  private static final TopicPartition TICKS = new TopicPartition(Shrinking.TRIMMED, 0);
  private static final ProducerIdentity IDLER = new ProducerIdentity(9, (short) 0);

  private static final Event OBSOLETE = sent("a/1", RATES, 1, 0);
  private static final Event ABORTED = sent("b/1", RATES, 2, 2);
  private static final Event NEWEST = sent("c/1", RATES, 3, 4);
  private static final Event TAIL = sent("t/1", TICKS, 1, 7);
  private static final Event NEWEST_FOUND = found("committed", RATES, "c/1", 3, 4);
  private static final Event TAIL_FOUND = found("committed", TICKS, "t/1", 1, 7);
  private static final Event STOOD_OBSOLETE = found("auditor", RATES, "a/1", 1, 0);
  private static final Event STOOD_ABORTED = found("auditor", RATES, "b/1", 2, 2);
  private static final Event STOOD = new Event.Stood("auditor", RATES, 0, 3);
  private static final Event START = new Event.Bounds(TICKS, 5, 6, 8);
  private static final Event DATA = left(Kind.TRANSACTIONAL, 4, 3, "c/1");
  private static final Event MARKER = left(Kind.COMMIT, 5, 3);
  private static final Event LAST = left(Kind.PLAIN, 6, 9);
  private static final Event WROTE = sequenced(RATES, false, true, Outcome.OK, 6);
  private static final Event REPEATED = sequenced(RATES, true, true, Outcome.OK, 6);
  private static final Event WROTE_TICK = sequenced(TICKS, false, true, Outcome.OK, 3);
  private static final Event REPEATED_TICK = sequenced(TICKS, true, true, Outcome.OK, 3);

  private static final List<Event> GOOD =
      List.of(
          OBSOLETE,
          ended("a/1", true),
          ABORTED,
          ended("b/1", false),
          NEWEST,
          ended("c/1", true),
          TAIL,
          ended("t/1", true),
          STOOD_OBSOLETE,
          STOOD_ABORTED,
          STOOD,
          START,
          WROTE,
          REPEATED,
          WROTE_TICK,
          REPEATED_TICK,
          NEWEST_FOUND,
          TAIL_FOUND,
          found("uncommitted", RATES, "c/1", 3, 4),
          scanned("committed", Isolation.READ_COMMITTED, RATES, 0),
          scanned("committed", Isolation.READ_COMMITTED, TICKS, 5),
          scanned("uncommitted", Isolation.READ_UNCOMMITTED, RATES, 0),
          DATA,
          MARKER,
          LAST);

  private static Event sent(String transaction, TopicPartition to, long number, long offset) {
    return new Event.Sent(transaction, to, value(transaction, number), Outcome.OK, offset);
  }

  private static String value(String transaction, long number) {
    Posting.Key key = new Posting.Key("rate", number);
    return new Posting(transaction + ":1", key, BigDecimal.ONE, "").text();
  }

  private static Event ended(String transaction, boolean commit) {
    return new Event.Ended(transaction, commit, Outcome.OK);
  }

  private static Event found(
      String reader, TopicPartition in, String transaction, long number, long offset) {
    Isolation isolation =
        reader.equals("committed") ? Isolation.READ_COMMITTED : Isolation.READ_UNCOMMITTED;
    return new Event.Read(reader, isolation, in, offset, value(transaction, number));
  }

  private static Event scanned(
      String reader, Isolation isolation, TopicPartition partition, long from) {
    return new Event.Scanned(reader, isolation, partition, from, 8);
  }

  private static Event left(Kind kind, long offset, int producer, String... transactions) {
    return new Event.Remnant(
        1,
        RATES,
        kind,
        offset,
        offset,
        1,
        new ProducerIdentity(producer, (short) 0),
        0,
        new TreeSet<>(List.of(transactions)));
  }

  private static Event sequenced(
      TopicPartition to, boolean isRepeat, boolean isCalm, Outcome outcome, long offset) {
    return new Event.Sequenced(to, IDLER, 0, isRepeat, true, isCalm, outcome, offset, "");
  }

  private static Verdict verdict(List<Event> events) {
    History history = new History();
    events.forEach(history::add);
    return new SafeRemoval().check(history);
  }

  /** The good history with others in the place of one event. */
  private static Verdict with(Event instead, Event... others) {
    List<Event> events = new ArrayList<>(GOOD);
    int index = events.indexOf(instead);
    events.remove(index);
    events.addAll(index, List.of(others));
    return verdict(events);
  }

  private static void fails(Verdict verdict, String... witness) {
    assertThat(verdict)
        .isInstanceOfSatisfying(
            Verdict.Fail.class, fail -> assertThat(fail.witness()).contains(witness));
  }

  @Test
  void l7_holds_where_only_the_obsolete_is_gone() {
    assertThat(verdict(GOOD)).isInstanceOf(Verdict.Pass.class);
  }

  @Test
  void l7_needs_evidence_of_each_kind_of_removal() {
    assertThat(with(START)).as("no start moved").isInstanceOf(Verdict.Vacuous.class);
    assertThat(with(STOOD)).as("nothing stood").isInstanceOf(Verdict.Vacuous.class);
    assertThat(with(REPEATED)).as("no repetition").isInstanceOf(Verdict.Vacuous.class);
    assertThat(with(REPEATED_TICK)).as("none in a trimmed log").isInstanceOf(Verdict.Vacuous.class);
    assertThat(with(NEWEST_FOUND, NEWEST_FOUND, found("committed", RATES, "a/1", 1, 0)))
        .as("nothing was compacted")
        .isInstanceOf(Verdict.Vacuous.class);
    Event[] whole = {
      left(Kind.PLAIN, 0, 8),
      left(Kind.PLAIN, 1, 8),
      left(Kind.PLAIN, 2, 8),
      left(Kind.PLAIN, 3, 8),
      DATA
    };
    assertThat(with(DATA, whole)).as("no hole in a replica").isInstanceOf(Verdict.Vacuous.class);
  }

  @Test
  void l7_a_log_that_is_cut_above_its_last_stable_offset() {
    fails(with(START, new Event.Bounds(TICKS, 7, 6, 8)), "cut above", "logStartOffset=7");
  }

  @Test
  void l7_a_log_that_is_cut_above_an_open_transaction() {
    Event first = sent("o/1", TICKS, 1, 4);
    Event asked = new Event.EndAsked("o/1", true);
    Event ended = ended("o/1", true);
    assertThat(with(START, asked, START, first, ended)).isInstanceOf(Verdict.Pass.class);
    fails(with(START, START, asked, first, ended), "was open", "o/1", "logStartOffset=5");
    Event unknown = new Event.Ended("o/1", true, Outcome.UNKNOWN);
    assertThat(with(START, START, asked, first, unknown)).isInstanceOf(Verdict.Pass.class);
  }

  @Test
  void l7_a_record_that_goes_while_the_last_stable_offset_is_below_it() {
    fails(with(STOOD_OBSOLETE), "removed too early", "a/1");
    fails(with(STOOD_ABORTED), "removed too early", "b/1");
  }

  @Test
  void l7_the_newest_record_of_a_key_that_is_gone() {
    fails(with(NEWEST_FOUND), "the newest record of its key is gone", "c/1");
    fails(
        with(NEWEST_FOUND, found("committed", RATES, "a/1", 1, 0)),
        "the newest record of its key is gone");
  }

  @Test
  void l7_a_newer_record_of_unknown_fate_may_stand_for_the_newest() {
    Event unknown = sent("d/1", RATES, 4, 5);
    Event asked = new Event.EndAsked("d/1", true);
    Event ended = new Event.Ended("d/1", true, Outcome.UNKNOWN);
    Event found = found("committed", RATES, "d/1", 4, 5);
    assertThat(with(NEWEST_FOUND, unknown, asked, ended, found)).isInstanceOf(Verdict.Pass.class);
    assertThat(with(NEWEST_FOUND, unknown, asked, ended, NEWEST_FOUND))
        .isInstanceOf(Verdict.Pass.class);
    fails(with(NEWEST_FOUND, unknown, asked, ended), "the newest record of its key is gone");
  }

  @Test
  void l7_an_aborted_record_that_shows_once_its_marker_is_gone() {
    fails(
        with(NEWEST_FOUND, found("committed", RATES, "b/1", 2, 2), NEWEST_FOUND),
        "b/1 was aborted",
        "offset=2");
  }

  @Test
  void l7_a_record_behind_the_start_of_a_trimmed_log_that_is_gone() {
    fails(with(TAIL_FOUND), "the log starts at 5", "t/1");
  }

  @Test
  void l7_a_marker_that_goes_before_its_data() {
    fails(with(MARKER), "its marker is gone", "c/1");
    fails(with(MARKER, left(Kind.ABORT, 5, 3)), "its marker is gone", "c/1", "kind=ABORT");
    fails(
        with(MARKER, left(Kind.TRANSACTIONAL, 5, 3, "e/1"), left(Kind.COMMIT, 6, 3)),
        "a marker between",
        "c/1",
        "e/1");
  }

  @Test
  void l7_a_producer_whose_next_sequence_is_refused() {
    fails(
        with(WROTE, sequenced(RATES, false, true, Outcome.FAILED, -1)),
        "the next sequence was refused");
  }

  @Test
  void l7_a_batch_that_is_written_twice_once_its_first_copy_is_gone() {
    fails(
        with(REPEATED, sequenced(RATES, true, false, Outcome.OK, 7)),
        "was sent again and not known");
    fails(
        with(REPEATED, sequenced(RATES, true, false, Outcome.FAILED, -1)),
        "was sent again and not known");
    fails(
        with(REPEATED_TICK, sequenced(TICKS, true, true, Outcome.OK, 7)),
        "was sent again and not known");
  }

  @Test
  void l7_a_replica_that_started_anew_behind_a_trimmed_log_knows_nobody() {
    Event forgotten = sequenced(TICKS, true, false, Outcome.OK, 7);
    assertThat(with(REPEATED_TICK, forgotten, REPEATED_TICK)).isInstanceOf(Verdict.Pass.class);
  }

  @Test
  void l7_a_compacted_replica_that_has_lost_the_last_batch_of_a_producer() {
    fails(with(LAST), "broker 1 has no batch", "producer");
  }

  @Test
  void l7_an_answer_that_nobody_got_proves_nothing() {
    Event unknown = sequenced(RATES, true, true, Outcome.UNKNOWN, -1);
    assertThat(with(REPEATED, unknown, REPEATED)).isInstanceOf(Verdict.Pass.class);
    assertThat(with(REPEATED, unknown)).isInstanceOf(Verdict.Vacuous.class);
  }
}
