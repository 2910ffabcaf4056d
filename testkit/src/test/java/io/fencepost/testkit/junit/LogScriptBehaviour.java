package io.fencepost.testkit.junit;

import static io.fencepost.testkit.junit.FencepostAssertions.aborted;
import static io.fencepost.testkit.junit.FencepostAssertions.assertThat;
import static io.fencepost.testkit.junit.FencepostAssertions.committed;
import static io.fencepost.testkit.junit.FencepostAssertions.open;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;

/** Logs built by sentences, what readers see of them, and waits for them. */
interface LogScriptBehaviour {
  TestCluster cluster();

  @Test
  default void a_log_holds_what_the_sentence_says_at_its_offsets() {
    cluster().createTopic("said", 2);
    LogScript log =
        cluster()
            .log("said", 1)
            .plain("before")
            .transaction("a", t -> t.send(1, 2))
            .interleave("b", committed(3))
            .at(5)
            .interleave("c", open(4))
            .abort("a")
            .transaction("c", t -> t.sendKeyed("k", 5))
            .interleave("d", aborted(6))
            .at(10);
    assertThat(log)
        .hasLso(5)
        .hasHighWatermark(10)
        .readCommitted()
        .sees("before", 3)
        .readUncommitted()
        .sees("before", 1, 2, 3, 4, "k=5", 6);
    log.commit("c");
    assertThat(log).hasLso(11).readCommitted().sees("before", 3, 4, "k=5");
    assertThat(log.toString())
        .isEqualTo(
            """
            said-1: LSO 11, high watermark 11
            OFFSET  TRANSACTION  VALUE   STATE
                 0  -            before  plain
                 1  a            1       aborted
                 2  a            2       aborted
                 3  b            3       committed
                 4  b            COMMIT  marker
                 5  c            4       committed
                 6  a            ABORT   marker
                 7  c            k=5     committed
                 8  d            6       aborted
                 9  d            ABORT   marker
                10  c            COMMIT  marker\
            """);
  }

  @Test
  default void a_name_may_be_used_for_one_transaction_after_the_other() {
    cluster().createTopic("again", 1);
    LogScript log =
        cluster()
            .log("again")
            .transaction("a", aborted(1))
            .transaction("a", committed(2))
            .transaction("a", t -> t.send(3));
    assertThat(log).hasLso(4).readCommitted().sees(2).readUncommitted().sees(1, 2, 3);
  }

  @Test
  default void a_transaction_that_sent_nothing_takes_no_offset() {
    cluster().createTopic("empty", 1);
    LogScript log = cluster().log("empty").transaction("a", open()).commit("a").fillTo(3).at(3);
    assertThat(log).hasLso(3).readCommitted().sees("filler 0", "filler 1", "filler 2");
  }

  @Test
  default void a_failure_shows_what_each_reader_saw_and_why() {
    cluster().createTopic("shown", 1);
    LogScript log =
        cluster()
            .log("shown")
            .transaction("a", t -> t.send(1))
            .interleave("b", committed(2))
            .abort("a")
            .transaction("c", open(3))
            .interleave("d", committed(4));
    assertThatThrownBy(() -> assertThat(log).readCommitted().sees(1, 4, 5))
        .hasMessage(
            """
            a read_committed reader of shown-0 sees [2], not [1, 4, 5]
              missing 1: at offset 0, aborted
              missing 4: at offset 5, committed, and not below the LSO 4
              missing 5: not in the log
              unexpected 2: at offset 1, committed
            shown-0: LSO 4, high watermark 7
            OFFSET  TRANSACTION  VALUE   STATE      READ_COMMITTED
                 0  a            1       aborted    dropped
                 1  b            2       committed  seen
                 2  b            COMMIT  marker     no record
                 3  a            ABORT   marker     no record
            ------  LSO: read_committed stops here
                 4  c            3       open       not yet
                 5  d            4       committed  not yet
                 6  d            COMMIT  marker     no record\
            """);
    assertThatThrownBy(() -> assertThat(log).readUncommitted().sees(1, 2, 4, 3))
        .hasMessage(
            """
            a read_uncommitted reader of shown-0 sees [1, 2, 3, 4], not [1, 2, 4, 3]
              the same values in another order
            shown-0: LSO 4, high watermark 7
            OFFSET  TRANSACTION  VALUE   STATE      READ_UNCOMMITTED
                 0  a            1       aborted    seen
                 1  b            2       committed  seen
                 2  b            COMMIT  marker     no record
                 3  a            ABORT   marker     no record
            ------  LSO: read_committed stops here
                 4  c            3       open       seen
                 5  d            4       committed  seen
                 6  d            COMMIT  marker     no record\
            """);
    assertThatThrownBy(() -> assertThat(log).hasLso(7))
        .hasMessageStartingWith("the last stable offset of shown-0 is 4, not 7\n");
  }

  @Test
  default void a_sentence_that_makes_no_sense_is_refused() {
    cluster().createTopic("senseless", 1);
    LogScript log = cluster().log("senseless");
    assertThatThrownBy(() -> log.commit("a"))
        .hasMessage("can't commit 'a': it is not open in senseless-0; none is");
    assertThatThrownBy(() -> log.interleave("a", open(1)))
        .hasMessage(
            "there is nothing to interleave 'a' with: no other transaction is open in senseless-0");
    log.transaction("a", open(1));
    assertThatThrownBy(() -> log.abort("b"))
        .hasMessage("can't abort 'b': it is not open in senseless-0; open are [a]");
    assertThatThrownBy(() -> log.commit("a").at(1))
        .hasMessage(
            """
            the next offset of senseless-0 is 2, not 1; each end of a transaction takes one for its\
             marker
            senseless-0: LSO 2, high watermark 2
            OFFSET  TRANSACTION  VALUE   STATE
                 0  a            1       committed
                 1  a            COMMIT  marker\
            """);
  }

  @Test
  default void what_others_wrote_is_told_by_what_readers_see() {
    cluster().createTopic("foreign", 1);
    cluster().log("foreign").transaction("a", committed(1)).transaction("b", aborted(2)).plain(3);
    LogScript other = cluster().log("foreign").transaction("c", open(4));
    cluster().log("foreign").plain(5);
    assertThat(other.toString())
        .isEqualTo(
            """
            foreign-0: LSO 5, high watermark 7
            OFFSET  TRANSACTION  VALUE  STATE
                 0  -            1      committed
                 1  -                   gap
                 2  -            2      aborted
                 3  -                   gap
                 4  -            3      committed
            ------  LSO: read_committed stops here
                 5  c            4      open
                 6  -            5      undecided\
            """);
    assertThat(other.read().seenAt(IsolationLevel.READ_COMMITTED))
        .extracting(LogReading.SeenValue::value)
        .containsExactly("1", "3");
  }

  @Test
  default void waits_end_when_it_is_so_and_say_what_was_seen_if_not() {
    cluster().createTopic("waited", 1);
    LogScript log =
        cluster().log("waited").transaction("a", committed(1, 2)).transaction("b", open(3));
    assertThat(cluster().awaitCommitted("waited", 2))
        .extracting(ConsumerRecord::value)
        .containsExactly("1", "2");
    TestCluster hasty = cluster().within(Duration.ofMillis(400));
    assertThatThrownBy(() -> hasty.awaitCommitted("waited", 3))
        .hasMessage(
            """
            not within 400 ms: 3 committed records in waited, for a read_committed reader
            seen last: 2 records
                       waited-0@0 1
                       waited-0@1 2
                       held up by an open transaction: waited-0: LSO 3, high watermark 4, so a\
             transaction is open from offset 3 on\
            """);
    assertThatThrownBy(() -> hasty.awaitLsoAtEnd("waited"))
        .hasMessage(
            """
            not within 400 ms: the last stable offset is the high watermark in all partitions of waited
            seen last: waited-0: LSO 3, high watermark 4, so a transaction is open from offset 3 on\
            """);
    assertThatThrownBy(() -> hasty.awaitLag("nobody", 0))
        .hasMessage(
            """
            not within 400 ms: group nobody has at most 0 committed records before it
            seen last: the group has committed no offset\
            """);
    log.commit("b");
    cluster().awaitLsoAtEnd("waited");
  }

  @Test
  default void a_wait_for_a_topic_does_not_make_it() {
    TestCluster hasty = cluster().within(Duration.ofMillis(400));
    assertThatThrownBy(() -> hasty.awaitLsoAtEnd("mistyped"))
        .hasMessageEndingWith("seen last: there is no topic mistyped");
    assertThatThrownBy(() -> hasty.awaitCommitted("mistyped", 1))
        .hasMessageEndingWith("seen last: 0 records\n           there is no topic mistyped");
  }

  @Test
  default void a_script_makes_its_topic() {
    assertThat(cluster().log("unmade").read().rows()).isEmpty();
    assertThat(cluster().log("filled").fillTo(2).at(2).read().rows()).hasSize(2);
  }
}
