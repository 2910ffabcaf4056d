package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.store.MemoryTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpirySweepTest {
  private static final long RETENTION_MS = 100;

  private final MemoryTable table = new MemoryTable(1);
  private final StateBuffer state = new StateBuffer(table, List.of(false));
  private final ExpirySweep sweep = new ExpirySweep(0, RETENTION_MS);

  @Test
  void nothing_is_looked_at_until_time_has_moved_by_a_quarter_of_the_retention() {
    see("a", 1_000);
    sweep.sweep(table, state, 10);
    see("b", 1_025);
    sweep.sweep(table, state, 10);
    assertThat(deleted()).isEmpty();
  }

  @Test
  void what_the_rule_forgot_goes_a_few_per_transaction_until_all_is_seen() {
    for (int i = 0; i < 10; i++) {
      see("old-" + i, 1_000 + i);
    }
    sweep.sweep(table, state, 4);
    commit();
    see("young", 1_000 + 10 * RETENTION_MS);
    List<String> gone = new ArrayList<>();
    List<Integer> steps = new ArrayList<>();
    for (int cycle = 0; cycle < 5; cycle++) {
      sweep.sweep(table, state, 4);
      List<String> now = deleted();
      gone.addAll(now);
      steps.add(now.size());
      commit();
    }
    assertThat(steps).containsExactly(4, 4, 2, 0, 0);
    assertThat(gone).hasSize(10).allMatch(key -> key.startsWith("old-"));
    assertThat(table.get(0, bytes("young"))).isNotNull();
  }

  @Test
  void a_key_that_was_accepted_anew_in_the_open_transaction_stays() {
    see("a", 1_000);
    sweep.sweep(table, state, 10);
    commit();
    see("a", 2_000);
    sweep.sweep(table, state, 10);
    assertThat(deleted()).isEmpty();
    assertThat(state.get(0, bytes("a"))).isEqualTo(Longs.write(2_000));
  }

  @Test
  void a_dropped_transaction_takes_its_deletions_back() {
    see("a", 1_000);
    sweep.sweep(table, state, 10);
    commit();
    see("b", 2_000);
    sweep.sweep(table, state, 10);
    assertThat(deleted()).containsExactly("a");
    state.drop();
    assertThat(state.get(0, bytes("a"))).isEqualTo(Longs.write(1_000));
  }

  @Test
  void a_dropped_transaction_s_part_of_the_table_is_looked_at_again() {
    for (int i = 0; i < 10; i++) {
      see("old-" + i, 1_000);
    }
    sweep.sweep(table, state, 4);
    commit();
    see("young", 1_000 + 10 * RETENTION_MS);
    List<String> gone = new ArrayList<>();
    for (int cycle = 0; cycle < 8; cycle++) {
      sweep.sweep(table, state, 4);
      if (cycle % 2 == 0) {
        state.drop();
        sweep.drop();
        see("young", 1_000 + 10 * RETENTION_MS);
      } else {
        gone.addAll(deleted());
        commit();
      }
    }
    assertThat(gone).hasSize(10).doesNotHaveDuplicates();
  }

  private void see(String key, long timeMs) {
    state.put(0, bytes(key), Longs.write(timeMs));
    state.raiseNewest(0, timeMs);
  }

  private void commit() {
    state.apply(new long[] {-1});
    sweep.commit();
  }

  private List<String> deleted() {
    List<String> keys = new ArrayList<>();
    state.forEachChange(
        0,
        (key, value) -> {
          if (value == null) {
            keys.add(new String(key, StandardCharsets.UTF_8));
          }
        });
    return keys;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
