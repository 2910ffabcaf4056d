package io.fencepost.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Remnant.Kind;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A violation is planted among events that are in order, and the witness must be exactly the events
 * that show it. Where it rests on events alone, none of them can be spared.
 */
class WitnessTest {
  private static final TopicPartition INPUT = new TopicPartition(Pipeline.INPUT, 0);
  private static final TopicPartition OTHER = new TopicPartition(Pipeline.INPUT, 1);
  private static final TopicPartition ACCEPTED = new TopicPartition(Pipeline.ACCEPTED, 0);
  private static final TopicPartition DUPLICATES = new TopicPartition(Pipeline.DUPLICATES, 0);
  private static final TopicPartition STATES = new TopicPartition("__transaction_state", 0);
  private static final TopicPartition RATES = new TopicPartition(Shrinking.COMPACTED, 0);
  private static final TopicPartition TICKS = new TopicPartition(Shrinking.TRIMMED, 0);
  private static final TopicPartition CALM = new TopicPartition("calm", 0);

  /** A whole life that breaks nothing, of clients and topics of its own. */
  private static final List<Event> NOISE =
      List.of(
          new Event.Opened("z", "z.1"),
          new Event.SendAsked("z.1/1", CALM, "z1"),
          new Event.Sent("z.1/1", CALM, "z1", Outcome.OK, 0),
          new Event.EndAsked("z.1/1", true),
          new Event.Ended("z.1/1", true, Outcome.OK),
          new Event.SendAsked("z.1/2", CALM, "z2"),
          new Event.Sent("z.1/2", CALM, "z2", Outcome.OK, 2),
          new Event.EndAsked("z.1/2", false),
          new Event.Ended("z.1/2", false, Outcome.OK),
          new Event.Read("zc", Isolation.READ_COMMITTED, CALM, 0, "z1"),
          new Event.Passed("zc", Isolation.READ_COMMITTED, CALM, 4),
          new Event.Read("zu", Isolation.READ_UNCOMMITTED, CALM, 0, "z1"),
          new Event.Read("zu", Isolation.READ_UNCOMMITTED, CALM, 2, "z2"),
          new Event.Passed("zu", Isolation.READ_UNCOMMITTED, CALM, 4),
          new Event.Watermarks("zc", CALM, 4, 4),
          new Event.Watermarks("zc", CALM, 4, 4));

  /** What is planted, in this order, and which of it is the witness. */
  private record Case(Check check, List<Event> planted, List<Event> witness) {
    @Override
    public String toString() {
      return check.id() + " " + witness;
    }
  }

  /** All that is planted is the witness. */
  private static Case all(Check check, Event... events) {
    return new Case(check, List.of(events), List.of(events));
  }

  private static Case some(Check check, List<Event> planted, Event... witness) {
    return new Case(check, planted, List.of(witness));
  }

  private static ProducerIdentity producer(int id, int epoch) {
    return new ProducerIdentity(id, (short) epoch);
  }

  private static Event state(String id, TxnState state, int producerId, int epoch) {
    return new Event.StateLogged(
        STATES, 0, id, state, producer(producerId, epoch), new TreeSet<>(List.of(INPUT)));
  }

  private static Event batch(TopicPartition to, int producerId, int epoch, String... of) {
    return new Event.TransactionalBatch(
        to, 0, 0, producer(producerId, epoch), new TreeSet<>(List.of(of)));
  }

  private static Event marker(TopicPartition to, int producerId, int epoch, boolean commit) {
    return new Event.MarkerLogged(to, 1, 0, producer(producerId, epoch), commit, 0);
  }

  private static Event sent(String transaction, TopicPartition to, long offset, String value) {
    return new Event.Sent(transaction, to, value, Outcome.OK, offset);
  }

  private static Event asked(String transaction) {
    return new Event.EndAsked(transaction, true);
  }

  private static Event ended(String transaction, boolean commit) {
    return new Event.Ended(transaction, commit, Outcome.OK);
  }

  private static Event read(TopicPartition from, long offset, String value) {
    return new Event.Read("c", Isolation.READ_COMMITTED, from, offset, value);
  }

  private static Event passed(Isolation isolation, TopicPartition in, long position) {
    String reader = isolation == Isolation.READ_COMMITTED ? "c" : "u";
    return new Event.Passed(reader, isolation, in, position);
  }

  private static Event seen(TopicPartition partition, long offset) {
    return new Event.OffsetSeen(Pipeline.GROUP, partition, offset);
  }

  private static Event staged(String transaction, long offset) {
    return new Event.Staged(transaction, Pipeline.GROUP, INPUT, offset);
  }

  private static Event took(String transaction, String value) {
    return new Event.Took(transaction, INPUT, 0, value);
  }

  private static Event sequence(int number) {
    return new Event.Batch(INPUT, number, 7, 0, number, 1);
  }

  private static Event payment(TopicPartition in, long offset, long number, String origin) {
    return payment(in, offset, number, origin, "1.10");
  }

  private static Event payment(
      TopicPartition in, long offset, long number, String origin, String amount) {
    String name = in + "@" + offset;
    Posting.Key key = new Posting.Key("w", number);
    return read(in, offset, new Posting(name, key, new BigDecimal(amount), origin).text());
  }

  private static String rate(String name) {
    return new Posting(name, new Posting.Key("k", 1), BigDecimal.ONE, "").text();
  }

  private static Event left(Kind kind, long offset, int producerId, String... of) {
    return new Event.Remnant(
        1, RATES, kind, offset, offset, 1, producer(producerId, 0), 0, new TreeSet<>(List.of(of)));
  }

  private static Event sequenced(boolean isRepeat, Outcome outcome, long offset) {
    return new Event.Sequenced(RATES, producer(9, 0), 0, isRepeat, true, true, outcome, offset, "");
  }

  static Stream<Case> ofCoordinators() {
    Event opened = new Event.Opened("a", "a.1");
    Event next = new Event.Opened("a", "a.2");
    Event data = batch(INPUT, 1, 3, "a.1/1");
    Event elsewhere = batch(OTHER, 1, 3, "a.1/1");
    Event second = batch(INPUT, 1, 3, "a.1/2");
    Event end = marker(INPUT, 1, 3, true);
    Event empty = state("a", TxnState.EMPTY, 1, 5);
    Event rotated = state("a", TxnState.EMPTY, 2, 0);
    Event prepared = state("a", TxnState.PREPARE_COMMIT, 1, 1);
    Event zombie = new Event.Late("a.1", "END", Outcome.OK, "");
    Event stale = new Event.StaleStaged("a.1", Outcome.OK, "");
    Event overdue = new Event.Overdue("a.1/1", Outcome.OK, "");
    return Stream.of(
        all(new SessionOwnership(), data, batch(INPUT, 1, 3, "a.2/1")),
        all(new SessionOwnership(), batch(INPUT, 1, 3, "a.1/1", "a.2/1")),
        all(new SessionOwnership(), empty, state("b", TxnState.EMPTY, 1, 6)),
        all(new EpochGrowth(), empty, state("a", TxnState.EMPTY, 1, 4)),
        all(new EpochGrowth(), empty, rotated, state("a", TxnState.EMPTY, 1, 6)),
        all(new OneLeader(), new Event.Led(INPUT, 1, 1), new Event.Led(INPUT, 1, 2)),
        all(
            new OneLeader(),
            new Event.TransactionalBatch(INPUT, 0, 5, producer(1, 0), new TreeSet<>()),
            new Event.MarkerLogged(INPUT, 1, 4, producer(1, 0), true, 0)),
        all(new LegalMoves(), empty, state("a", TxnState.PREPARE_COMMIT, 1, 5)),
        all(new LegalMoves(), prepared),
        all(new PrepareKept(), prepared, state("a", TxnState.COMPLETE_ABORT, 1, 1)),
        all(new PrepareKept(), prepared),
        all(new MarkersPrepared(), prepared),
        all(new MarkersPrepared(), end),
        some(
            new LateRequest(),
            List.of(new Event.Late("b.1", "END", Outcome.FAILED, "fenced"), zombie),
            zombie),
        all(
            new RepeatedMarker(),
            data,
            marker(INPUT, 1, 4, true),
            second,
            marker(INPUT, 1, 4, true)),
        all(new RepeatedMarker(), data, marker(INPUT, 1, 4, true), marker(INPUT, 1, 4, false)),
        some(
            new EndAgreement(),
            List.of(elsewhere, data, marker(INPUT, 1, 3, false), ended("a.1/1", true)),
            data,
            marker(INPUT, 1, 3, false),
            ended("a.1/1", true)),
        all(new FencedSession(), opened, next, asked("a.1/1"), ended("a.1/1", true)),
        some(
            new FencedSession(),
            List.of(
                sent("a.1/1", INPUT, 0, "v"),
                opened,
                next,
                asked("a.1/1"),
                new Event.Ended("a.1/1", true, Outcome.UNKNOWN),
                read(INPUT, 0, "v")),
            sent("a.1/1", INPUT, 0, "v"),
            opened,
            next,
            asked("a.1/1"),
            read(INPUT, 0, "v")),
        all(new StaleMember(), stale),
        all(new TimedOut(), overdue));
  }

  static Stream<Case> ofLogs() {
    Event data = batch(INPUT, 1, 3, "a.1/1");
    Event again = batch(INPUT, 1, 4, "a.1/1");
    Event elsewhere = batch(OTHER, 1, 3, "a.1/1");
    Event probed = new Event.Probed("probe-1", INPUT, 1, 3);
    Event byProbe = new Event.Read("probe-1", Isolation.READ_COMMITTED, INPUT, 2, "v2");
    Event cut = new Event.Bounds(TICKS, 5, 6, 8);
    Event scan = new Event.Scanned("c", Isolation.READ_COMMITTED, RATES, 0, 8);
    Event tail = new Event.Scanned("c", Isolation.READ_COMMITTED, TICKS, 5, 8);
    Event stood = new Event.Stood("auditor", RATES, 0, 3);
    Event newest = sent("a/1", RATES, 1, rate("a"));
    Event finding = new Event.FileFinding("differs");
    return Stream.of(
        all(new OffsetAgreement(), sent("a/1", INPUT, 0, "v"), read(INPUT, 0, "w")),
        some(
            new SequenceContinuity(),
            List.of(sequence(0), sequence(1), sequence(3), sequence(4)),
            sequence(1),
            sequence(3)),
        all(new WatermarkOrder(), new Event.Watermarks("c", INPUT, 5, 4)),
        some(
            new WatermarkOrder(),
            List.of(
                new Event.Watermarks("c", INPUT, 2, 4),
                new Event.Watermarks("c", INPUT, 3, 4),
                new Event.Watermarks("c", INPUT, 2, 5)),
            new Event.Watermarks("c", INPUT, 3, 4),
            new Event.Watermarks("c", INPUT, 2, 5)),
        all(new OneEnd(), data, marker(INPUT, 1, 2, false)),
        all(new OneEnd(), data, batch(INPUT, 1, 3, "a.1/2"), marker(INPUT, 1, 3, true)),
        all(new OneEnd(), data, marker(INPUT, 1, 3, true), again, marker(INPUT, 1, 4, true)),
        all(new OneEnd(), data, marker(INPUT, 1, 3, true), elsewhere, marker(OTHER, 1, 3, false)),
        all(new MidwayReads(), read(INPUT, 2, "v2"), probed),
        all(new MidwayReads(), byProbe, probed),
        all(new MidwayReads(), read(INPUT, 2, "w2"), byProbe, probed),
        some(
            new AcknowledgedWrite(),
            List.of(
                sent("a/1", INPUT, 3, "v"),
                passed(Isolation.READ_UNCOMMITTED, INPUT, 2),
                passed(Isolation.READ_UNCOMMITTED, INPUT, 4)),
            sent("a/1", INPUT, 3, "v"),
            passed(Isolation.READ_UNCOMMITTED, INPUT, 4)),
        all(new SafeRemoval(), new Event.Bounds(TICKS, 7, 6, 8)),
        all(
            new SafeRemoval(),
            cut,
            asked("o/1"),
            sent("o/1", TICKS, 4, rate("o")),
            ended("o/1", true)),
        all(new SafeRemoval(), newest, stood),
        all(new SafeRemoval(), newest, ended("a/1", true), scan),
        all(new SafeRemoval(), newest, ended("a/1", false), read(RATES, 1, rate("a")), scan),
        all(new SafeRemoval(), sent("t/1", TICKS, 7, rate("t")), ended("t/1", true), tail),
        all(new SafeRemoval(), left(Kind.TRANSACTIONAL, 0, 3, "a/1")),
        all(
            new SafeRemoval(),
            left(Kind.TRANSACTIONAL, 0, 3, "a/1"),
            left(Kind.TRANSACTIONAL, 1, 3, "a/2"),
            left(Kind.COMMIT, 2, 3)),
        all(
            new SafeRemoval(),
            left(Kind.TRANSACTIONAL, 0, 3, "a/1"),
            left(Kind.ABORT, 2, 3),
            ended("a/1", true)),
        all(new SafeRemoval(), sequenced(false, Outcome.FAILED, -1)),
        all(new SafeRemoval(), sequenced(false, Outcome.OK, 3), sequenced(true, Outcome.OK, 4)),
        some(
            new SafeRemoval(),
            List.of(
                sequenced(false, Outcome.OK, 3), left(Kind.PLAIN, 0, 8), left(Kind.PLAIN, 1, 8)),
            sequenced(false, Outcome.OK, 3),
            left(Kind.PLAIN, 0, 8)),
        some(new ReplicaAgreement(), List.of(new Event.FilesChecked(7), finding), finding));
  }

  static Stream<Case> ofReaders() {
    Event a = sent("a/1", INPUT, 0, "a");
    Event b = sent("a/1", OTHER, 5, "b");
    Event readA = read(INPUT, 0, "a");
    Event committed = passed(Isolation.READ_COMMITTED, INPUT, 2);
    Event uncommitted = passed(Isolation.READ_UNCOMMITTED, INPUT, 2);
    return Stream.of(
        all(new AbortedRead(), a, ended("a/1", false), readA),
        some(new AbortedRead(), List.of(a, readA, asked("b/1")), a, readA),
        all(new AbortedRead(), a, read(INPUT, 3, "stranger")),
        some(
            new LostWrite(),
            List.of(a, asked("a/1"), ended("a/1", true), committed),
            a,
            ended("a/1", true),
            committed),
        some(
            new AllOrNothing(),
            List.of(
                a, b, asked("a/1"), readA, committed, passed(Isolation.READ_COMMITTED, OTHER, 7)),
            a,
            b,
            readA,
            passed(Isolation.READ_COMMITTED, OTHER, 7)),
        some(
            new DuplicateOutput(),
            List.of(a, readA, new Event.Read("d", Isolation.READ_COMMITTED, INPUT, 1, "a")),
            readA,
            new Event.Read("d", Isolation.READ_COMMITTED, INPUT, 1, "a")),
        some(
            new InnerOrder(),
            List.of(read(INPUT, 1, "x"), read(INPUT, 3, "y"), read(INPUT, 2, "z")),
            read(INPUT, 3, "y"),
            read(INPUT, 2, "z")),
        all(new InnerOrder(), sent("a/1", INPUT, 4, "x"), sent("a/1", INPUT, 3, "y")),
        some(new EarlyRead(), List.of(a, readA, asked("a/1"), ended("a/1", true)), a, readA),
        some(
            new DependencyCycle(),
            List.of(
                sent("p.1/1", INPUT, 0, "v1"),
                sent("q.1/1", INPUT, 1, "v2"),
                sent("r.1/1", INPUT, 2, "v3"),
                took("q.1/1", "v1"),
                took("r.1/1", "v2"),
                took("p.1/1", "v3"),
                took("p.1/1", "v2")),
            sent("p.1/1", INPUT, 0, "v1"),
            sent("q.1/1", INPUT, 1, "v2"),
            took("q.1/1", "v1"),
            took("p.1/1", "v2")),
        all(new DependencyCycle(), sent("p.1/1", INPUT, 0, "v1"), took("p.1/1", "v1")),
        all(new AbortedShown(), a, ended("a/1", false), uncommitted));
  }

  static Stream<Case> ofJobs() {
    Event first = payment(INPUT, 0, 1, "");
    Event right = payment(ACCEPTED, 0, 1, "0@0");
    Event again = payment(INPUT, 1, 1, "");
    Event duplicate = payment(DUPLICATES, 0, 1, "0@1");
    List<Event> fine = List.of(first, right, again, duplicate);
    Event passedAccepted = passed(Isolation.READ_COMMITTED, ACCEPTED, 9);
    return Stream.of(
        some(
            new OutputOfInput(),
            with(fine, right, passedAccepted, seen(INPUT, 2)),
            first,
            passedAccepted,
            seen(INPUT, 2)),
        some(
            new OutputOfInput(),
            plus(fine, payment(ACCEPTED, 1, 1, "0@0"), seen(INPUT, 2)),
            right,
            payment(ACCEPTED, 1, 1, "0@0")),
        some(
            new OutputOfInput(),
            with(plus(fine, payment(ACCEPTED, 1, 1, "0@1")), duplicate, seen(INPUT, 2)),
            first,
            again,
            payment(ACCEPTED, 1, 1, "0@1")),
        some(new OutputOfInput(), plus(fine, seen(INPUT, 1)), duplicate, seen(INPUT, 1)),
        some(
            new StagedOffsets(),
            List.of(seen(INPUT, 3), seen(INPUT, 5), seen(INPUT, 4)),
            seen(INPUT, 5),
            seen(INPUT, 4)),
        some(
            new StagedOffsets(),
            List.of(staged("t/1", 5), asked("t/1"), ended("t/1", true), seen(INPUT, 3)),
            staged("t/1", 5),
            ended("t/1", true),
            seen(INPUT, 3)),
        all(new StagedOffsets(), staged("t/1", 5), ended("t/1", false), seen(INPUT, 5)),
        some(
            new CommittedOffsets(),
            List.of(seen(OTHER, 9), seen(INPUT, 5), seen(INPUT, 3)),
            seen(INPUT, 5),
            seen(INPUT, 3)),
        some(
            new AcceptedOnce(),
            plus(fine, payment(ACCEPTED, 1, 1, "0@1"), seen(INPUT, 2)),
            right,
            payment(ACCEPTED, 1, 1, "0@1")),
        some(
            new AcceptedOnce(),
            plus(fine, payment(INPUT, 2, 2, ""), passedAccepted, seen(INPUT, 3)),
            payment(INPUT, 2, 2, ""),
            passedAccepted,
            seen(INPUT, 3)),
        some(
            new AcceptedOnce(),
            plus(fine, payment(DUPLICATES, 1, 1, "0@1"), seen(INPUT, 2)),
            duplicate,
            payment(DUPLICATES, 1, 1, "0@1")),
        some(
            new ConservedSums(),
            with(plus(fine, payment(DUPLICATES, 0, 1, "0@1", "1.11")), duplicate, seen(INPUT, 2)),
            again,
            payment(DUPLICATES, 0, 1, "0@1", "1.11")),
        some(
            new EverythingEnds(),
            List.of(new Event.Finished(), new Event.Trouble("stuck"), new Event.Trouble("more")),
            new Event.Trouble("stuck")));
  }

  private static List<Event> plus(List<Event> events, Event... more) {
    List<Event> all = new ArrayList<>(events);
    all.addAll(List.of(more));
    return all;
  }

  /** Without one, and with more. */
  private static List<Event> with(List<Event> events, Event without, Event... more) {
    List<Event> all = plus(events, more);
    all.remove(without);
    return all;
  }

  private static Verdict verdict(Check check, List<Event> events) {
    History history = new History();
    Pipeline.FLOWS.forEach(history::add);
    events.forEach(history::add);
    return check.check(history);
  }

  @ParameterizedTest
  @MethodSource({"ofCoordinators", "ofLogs", "ofReaders", "ofJobs"})
  void a_planted_violation_is_told_by_exactly_its_events(Case planted) {
    assertThat(verdict(planted.check, NOISE)).isNotInstanceOf(Verdict.Fail.class);
    List<Event> events = new ArrayList<>(NOISE);
    planted.planted.forEach(events::add);
    events.addAll(NOISE.subList(0, 1));
    assertThat(verdict(planted.check, events))
        .isInstanceOfSatisfying(
            Verdict.Fail.class,
            fail ->
                assertThat(fail.events())
                    .as(fail.sentence())
                    .containsExactlyInAnyOrderElementsOf(planted.witness));
  }

  @ParameterizedTest
  @MethodSource({"ofCoordinators", "ofLogs", "ofReaders", "ofJobs"})
  void the_witness_alone_shows_the_violation_and_no_event_of_it_can_be_spared(Case planted) {
    Verdict alone = verdict(planted.check, inOrder(planted));
    assertThat(alone).isInstanceOf(Verdict.Fail.class);
    if (((Verdict.Fail) alone).ground() != Verdict.Ground.SEEN) {
      return;
    }
    for (int i = 0; i < planted.witness.size(); i++) {
      List<Event> less = inOrder(planted);
      Event spared = less.remove(i);
      Verdict verdict = verdict(planted.check, less);
      if (verdict instanceof Verdict.Fail fail) {
        assertThat(fail.ground())
            .as("without %s: %s", spared, fail)
            .isNotEqualTo(Verdict.Ground.SEEN);
      }
    }
  }

  private static List<Event> inOrder(Case planted) {
    List<Event> events = new ArrayList<>(planted.planted);
    events.removeIf(event -> !planted.witness.contains(event));
    return events;
  }

  @Test
  void every_check_has_a_planted_violation() {
    List<String> planted =
        Stream.of(ofCoordinators(), ofLogs(), ofReaders(), ofJobs())
            .flatMap(cases -> cases)
            .map(it -> it.check.id())
            .distinct()
            .toList();
    assertThat(planted)
        .containsExactlyInAnyOrderElementsOf(
            Verification.checks().stream().map(Check::id).toList());
  }
}
