package io.fencepost.txn.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The rows and the runtimes of one partition while its leadership moves between brokers. */
class ShardRolesTest extends ShardTrio {
  ShardRolesTest() {
    super(new SimEntropy(1));
  }

  @Test
  void followers_have_the_rows_of_the_leader() {
    elect(0);
    settle();
    assertThat(write(1, "a")).containsExactly(WireError.NOT_COORDINATOR);
    List<WireError> answers = write(0, "a");
    settle();
    assertThat(answers).containsExactly(WireError.NONE);
    assertThat(rows(0)).hasSize(1).isEqualTo(replayed(0));
    assertThat(rows(1)).isEqualTo(rows(0));
    assertThat(rows(2)).isEqualTo(rows(0));
  }

  @Test
  void the_next_leader_answers_at_once() {
    elect(0);
    settle();
    write(0, "a");
    settle();
    elect(1);
    assertThat(read(1, "a")).as("before anything has run").isEqualTo("0 ");
    assertThat(read(0, "a")).isEqualTo("NOT_COORDINATOR");
  }

  @Test
  void what_was_in_flight_is_answered_once_and_leaves_the_next_term_alone() {
    elect(0);
    settle();
    partition.freeze();
    List<WireError> first = write(0, "a");
    List<WireError> queued = write(0, "a");
    elect(1);
    elect(0);
    assertThat(read(0, "a")).as("what was appended is not decided").contains("LOAD_IN_PROGRESS");
    settle();
    assertThat(first).containsExactly(WireError.NOT_COORDINATOR);
    assertThat(queued).containsExactly(WireError.NOT_COORDINATOR);
    partition.flow();
    settle();
    assertThat(read(0, "a")).isEqualTo("0 ");
    List<WireError> next = write(0, "a");
    settle();
    assertThat(next).containsExactly(WireError.NONE);
    assertThat(read(0, "a")).isEqualTo("0 1 ");
    assertThat(rows(2)).isEqualTo(replayed(0));
  }

  /** The next leader may commit what was appended: a decision without it would be a wrong one. */
  @Test
  void c5_who_waits_behind_an_append_of_a_term_that_ends_is_not_decided_by_the_old_state() {
    elect(0);
    settle();
    partition.freeze();
    List<WireError> first = write(0, "a");
    List<WireError> queued = write(0, "a");
    List<String> seen = new ArrayList<>();
    brokers
        .get(0)
        .write(
            "a",
            new ShardTask<>() {
              @Override
              public ShardDecision decide(TallyShard shard) {
                return ShardDecision.answer(() -> seen.add("decided: " + shard.offsetsOf("a")));
              }

              @Override
              public void refused(WireError error) {
                seen.add(error.name());
              }
            });
    partition.resign();
    assertThat(first).containsExactly(WireError.NOT_COORDINATOR);
    assertThat(queued).containsExactly(WireError.COORDINATOR_NOT_AVAILABLE);
    assertThat(seen).containsExactly("COORDINATOR_NOT_AVAILABLE");
  }

  @Test
  void a_term_that_is_over_decides_nothing_more() {
    elect(0);
    settle();
    ShardRuntime<TallyShard> old = brokers.get(0).all().get(0);
    elect(1);
    elect(0);
    settle();
    assertThat(old.isClosed()).isTrue();
    List<WireError> refused = new ArrayList<>();
    old.write(
        "a",
        new ShardTask<>() {
          @Override
          public ShardDecision decide(TallyShard shard) {
            throw new AssertionError("decides in a term that is over");
          }

          @Override
          public void refused(WireError error) {
            refused.add(error);
          }
        });
    assertThat(refused).containsExactly(WireError.NOT_COORDINATOR);
    assertThat(read(0, "a")).isEmpty();
  }

  @Test
  void nothing_is_decided_before_the_term_s_beginning_is_committed() {
    elect(0);
    settle();
    partition.freeze();
    write(0, "a");
    partition.elect(0);
    assertThat(read(0, "a")).isEqualTo("COORDINATOR_LOAD_IN_PROGRESS");
    settle();
    assertThat(read(0, "a")).isEqualTo("COORDINATOR_LOAD_IN_PROGRESS");
    partition.flow();
    settle();
    assertThat(read(0, "a")).isEqualTo("0 ");
  }

  @Test
  void rows_ahead_of_a_high_watermark_that_comes_back_are_kept() {
    elect(0);
    settle();
    write(0, "a");
    settle();
    partition.freeze();
    for (int broker : List.of(0, 1)) {
      brokers.get(broker).close();
      partition.at(broker).forgetHighWatermark();
      brokers.set(broker, shards(broker));
    }
    elect(0);
    settle();
    assertThat(read(0, "a")).isEqualTo("COORDINATOR_LOAD_IN_PROGRESS");
    assertThat(rows(1)).hasSize(1);
    partition.flow();
    settle();
    write(0, "a");
    settle();
    assertThat(notices).isEmpty();
    assertThat(rows(0)).isEqualTo(replayed(0));
    assertThat(rows(1)).isEqualTo(replayed(0));
  }

  @Test
  void rows_of_records_that_the_log_lost_are_made_again() {
    elect(0);
    settle();
    write(0, "kept");
    settle();
    write(0, "lost");
    settle();
    partition.at(2).lose(1);
    elect(2);
    settle();
    for (String key : List.of("new", "newer")) {
      write(2, key);
      settle();
    }
    assertThat(notices).isNotEmpty().allMatch(notice -> notice.contains("rebuilding"));
    for (int broker = 0; broker < BROKERS; broker++) {
      assertThat(rows(broker)).as("broker %d", broker).isEqualTo(replayed(2));
      assertThat(rows(broker).toString()).contains("kept", "newer").doesNotContain("lost");
    }
  }

  @Test
  void a_write_of_unknown_fate_lets_nobody_decide_about_its_key() {
    elect(0);
    settle();
    partition.freeze();
    List<WireError> late = write(0, "a");
    partition.timeOut();
    settle();
    assertThat(late).containsExactly(WireError.COORDINATOR_NOT_AVAILABLE);
    assertThat(read(0, "a")).isEqualTo("COORDINATOR_NOT_AVAILABLE");
    assertThat(read(0, "b")).as("others go on").isEmpty();
    partition.flow();
    settle();
    assertThat(read(0, "a")).isEqualTo("0 ");
  }

  @Test
  void rows_and_answers_agree_with_the_log_whoever_leads_when() {
    for (long seed = 0; seed < 200; seed++) {
      new Walk(new SimEntropy(seed)).walk("seed " + seed);
    }
  }

  private static final class Walk extends ShardTrio {
    Walk(SimEntropy chance) {
      super(chance);
    }

    void walk(String seed) {
      TreeMap<String, Integer> acknowledged = new TreeMap<>();
      List<Runnable> checks = new ArrayList<>();
      elect(0);
      for (int step = 0; step < 150; step++) {
        int broker = chance.nextInt(BROKERS);
        switch (chance.nextInt(14)) {
          case 0 -> elect(broker);
          case 1 -> partition.freeze();
          case 2 -> partition.flow();
          case 3 -> restart(broker);
          case 4 -> tables.get(broker).flush();
          default -> {
            String key = "k" + chance.nextInt(4);
            List<WireError> answers = write(partition.leader(), key);
            checks.add(
                () -> {
                  assertThat(answers).as("%s: answered once", seed).hasSize(1);
                  if (answers.get(0) == WireError.NONE) {
                    acknowledged.merge(key, 1, Integer::sum);
                  }
                });
          }
        }
        for (int i = chance.nextInt(8); i > 0; i--) {
          scheduler.step();
        }
      }
      partition.flow();
      settle();
      checks.forEach(Runnable::run);
      TreeMap<String, String> wanted = replayed(partition.leader());
      for (int broker = 0; broker < BROKERS; broker++) {
        assertThat(rows(broker)).as("%s: broker %d", seed, broker).isEqualTo(wanted);
      }
      int total = wanted.values().stream().mapToInt(row -> row.split(" ").length).sum();
      int kept = acknowledged.values().stream().mapToInt(n -> n).sum();
      assertThat(total).as(seed).isGreaterThanOrEqualTo(kept);
      assertThat(notices).as(seed).isEmpty();
    }

    /** Rows go back to what was flushed; the log is whole. A clean election first if it led. */
    private void restart(int broker) {
      if (partition.leader() == broker) {
        return;
      }
      brokers.get(broker).close();
      tables.get(broker).crash();
      partition.at(broker).forgetHighWatermark();
      brokers.set(broker, shards(broker));
      brokers.get(broker).refreshSoon();
    }
  }
}
