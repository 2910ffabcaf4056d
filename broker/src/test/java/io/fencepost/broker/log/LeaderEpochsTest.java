package io.fencepost.broker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaderEpochsTest {
  private final SimDisk disk = new SimDisk(new SimEntropy(1));
  private final LeaderEpochs epochs = LeaderEpochs.load(disk, "t-0/leader-epoch-checkpoint");

  @Test
  void an_epoch_ends_where_the_next_one_begins_and_the_latest_at_the_end_of_the_log() {
    epochs.assign(2, 10);
    epochs.assign(4, 20);
    epochs.assign(4, 25);
    epochs.assign(3, 30);
    assertThat(epochs.latestEpoch()).isEqualTo(4);
    assertThat(epochs.endOffsetFor(4, 33)).isEqualTo(new EpochEnd(4, 33));
    assertThat(epochs.endOffsetFor(3, 33)).isEqualTo(new EpochEnd(2, 20));
    assertThat(epochs.endOffsetFor(2, 33)).isEqualTo(new EpochEnd(2, 20));
    assertThat(epochs.endOffsetFor(1, 33)).isEqualTo(new EpochEnd(1, 10));
    assertThat(epochs.endOffsetFor(5, 33)).isEqualTo(EpochEnd.UNKNOWN);
    assertThat(epochs.endOffsetFor(-1, 33)).isEqualTo(EpochEnd.UNKNOWN);
    assertThat(epochs.epochAt(9)).isEqualTo(-1);
    assertThat(epochs.epochAt(10)).isEqualTo(2);
    assertThat(epochs.epochAt(500)).isEqualTo(4);
  }

  @Test
  void an_epoch_without_records_gives_way_to_the_next_one() {
    epochs.assign(1, 10);
    epochs.assign(2, 10);
    assertThat(epochs.endOffsetFor(1, 15)).isEqualTo(new EpochEnd(1, 10));
    assertThat(epochs.epochAt(10)).isEqualTo(2);
  }

  @Test
  void cuts_at_both_ends_are_followed_and_stored() {
    epochs.assign(1, 0);
    epochs.assign(2, 10);
    epochs.assign(3, 20);
    epochs.truncateFromStart(12);
    epochs.truncateFromEnd(20);
    LeaderEpochs loaded = LeaderEpochs.load(disk, "t-0/leader-epoch-checkpoint");
    assertThat(loaded.epochAt(11)).isEqualTo(-1);
    assertThat(loaded.epochAt(12)).isEqualTo(2);
    assertThat(loaded.latestEpoch()).isEqualTo(2);
    assertThat(new String(disk.read("t-0/leader-epoch-checkpoint"), StandardCharsets.UTF_8))
        .isEqualTo("0\n1\n2 12\n");
  }

  @Test
  void a_full_disk_leaves_the_epoch_unassigned() {
    epochs.assign(1, 0);
    disk.fill(0);
    assertThatThrownBy(() -> epochs.assign(2, 5)).isInstanceOf(DiskException.class);
    assertThat(epochs.latestEpoch()).isEqualTo(1);
    disk.free();
    epochs.assign(2, 5);
    assertThat(epochs.latestEpoch()).isEqualTo(2);
  }

  @Test
  void a_file_that_makes_no_sense_is_not_believed() {
    for (String text :
        List.of(
            "",
            "0",
            "1\n0\n",
            "0\n2\n1 0\n",
            "0\n1\nx 0\n",
            "0\n1\n1\n",
            "0\n2\n1 5\n1 6\n",
            "0\n2\n1 5\n2 5\n",
            "0\n1\n-1 5\n",
            "0\n1\n1 5")) {
      disk.replace("other", text.getBytes(StandardCharsets.UTF_8));
      assertThat(LeaderEpochs.load(disk, "other")).as(text).isNull();
    }
  }
}
