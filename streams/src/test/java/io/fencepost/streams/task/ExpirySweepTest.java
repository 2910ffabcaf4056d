package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.store.RestorePoint;
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
    assertThat(swept()).isEmpty();
    commit();
    see("b", 1_025);
    assertThat(swept()).isEmpty();
  }

  @Test
  void what_the_rule_forgot_goes_a_thousand_per_transaction_until_all_is_seen() {
    for (int i = 0; i < 2_500; i++) {
      see("old-" + i, 1_000);
    }
    commit();
    see("young", 1_000 + 10 * RETENTION_MS);
    List<String> gone = new ArrayList<>();
    List<Integer> steps = new ArrayList<>();
    for (int cycle = 0; cycle < 5; cycle++) {
      List<String> now = commit();
      gone.addAll(now);
      steps.add(now.size());
    }
    assertThat(steps).containsExactly(1_000, 1_000, 500, 0, 0);
    assertThat(gone).doesNotHaveDuplicates().allMatch(key -> key.startsWith("old-"));
    assertThat(table.get(0, bytes("young"))).isNotNull();
    assertThat(table.get(0, bytes("old-7"))).isNull();
  }

  @Test
  void a_key_that_is_accepted_anew_in_the_same_transaction_stays() {
    see("a", 1_000);
    commit();
    see("a", 2_000);
    assertThat(commit()).containsExactly("a");
    assertThat(table.get(0, bytes("a"))).isEqualTo(Longs.write(2_000));
  }

  private void see(String key, long timeMs) {
    state.put(0, bytes(key), Longs.write(timeMs));
    state.raiseNewest(0, timeMs);
  }

  private List<String> commit() {
    ChangeBatch batch = new ChangeBatch();
    sweep.sweep(table, state.newestMs(0), batch);
    List<String> deleted = keys(batch);
    state.apply(new long[] {-1}, batch);
    assertThat(table.restorePoint(0)).isNotEqualTo(RestorePoint.EMPTY);
    return deleted;
  }

  private List<String> swept() {
    ChangeBatch batch = new ChangeBatch();
    sweep.sweep(table, state.newestMs(0), batch);
    return keys(batch);
  }

  private static List<String> keys(ChangeBatch batch) {
    return batch.changes().stream()
        .map(change -> new String(change.key(), StandardCharsets.UTF_8))
        .toList();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
