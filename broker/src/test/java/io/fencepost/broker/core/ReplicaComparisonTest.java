package io.fencepost.broker.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.log.LogConfig;
import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicaComparisonTest {
  private final SimDisk mine = new SimDisk(new SimEntropy(1));
  private final SimDisk its = new SimDisk(new SimEntropy(2));

  /** Writes records of the given values, each a batch; "3=x" puts the value at offset 3. */
  private static void write(SimDisk disk, int leaderEpoch, String... values) {
    PartitionLog log = PartitionLog.open(disk, "orders-0", LogConfig.defaults(), new SimClock());
    for (String value : values) {
      int equals = value.indexOf('=');
      long offset = Long.parseLong(value.substring(0, equals));
      ByteBuffer batch =
          BatchWriter.at(offset)
              .add(1, null, value.substring(equals + 1).getBytes(StandardCharsets.UTF_8))
              .build();
      new BatchView().wrap(batch, 0).assign(offset, leaderEpoch);
      log.append(batch);
    }
    log.close(true);
  }

  private List<Finding> compare(boolean isCompacted) {
    List<Finding> findings = new ArrayList<>();
    ReplicaComparison.run(
        new ReplicaComparison.Place(1, mine, "orders-0", findings::add),
        new ReplicaComparison.Place(2, its, "orders-0", findings::add),
        isCompacted);
    return findings;
  }

  @Test
  void the_same_bytes_are_fine_also_if_one_begins_later_or_ends_sooner() {
    write(mine, 0, "0=a", "1=b", "2=c");
    write(its, 0, "1=b", "2=c", "3=d");
    assertThat(compare(false)).isEmpty();
  }

  @Test
  void L8_other_bytes_of_the_same_epoch_are_damage() {
    write(mine, 0, "0=a", "1=b");
    write(its, 0, "0=a", "1=x");
    assertThat(compare(false))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.isDamage()).isTrue();
              assertThat(finding.sentence()).contains("offset 1", "broker 2");
            });
  }

  @Test
  void L8_a_hole_on_one_side_is_damage_unless_compaction_made_it() {
    write(mine, 0, "0=a", "1=b", "2=c");
    write(its, 0, "0=a", "2=c");
    assertThat(compare(true)).isEmpty();
    assertThat(compare(false))
        .singleElement()
        .satisfies(finding -> assertThat(finding.sentence()).contains("offset 1 is missing"));
  }

  @Test
  void a_tail_of_an_older_leader_is_cut_by_the_next_start() {
    write(mine, 0, "0=a", "1=b");
    write(its, 0, "0=a");
    write(its, 3, "1=x");
    assertThat(compare(false))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.isDamage()).isFalse();
              assertThat(finding.sentence()).contains("leader epoch 0", "broker 2 has epoch 3");
            });
  }
}
