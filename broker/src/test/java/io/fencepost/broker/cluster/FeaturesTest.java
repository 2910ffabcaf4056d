package io.fencepost.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.cluster.Features.Change;
import io.fencepost.broker.cluster.Features.Direction;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import java.util.List;
import org.junit.jupiter.api.Test;

class FeaturesTest {
  private static final List<Feature> SUPPORTED =
      List.of(new Feature("transaction.version", 0, 2), Feature.fixed("metadata.version", 33));

  private final SimDisk disk = new SimDisk(new SimEntropy(1));
  private Features features = Features.open(disk, SUPPORTED);

  private String change(int level, Direction direction) {
    return features.change(List.of(new Change("transaction.version", level, direction)), false);
  }

  @Test
  void an_untouched_feature_has_its_highest_level() {
    assertThat(features.levels().epoch()).isZero();
    assertThat(features.levels().byName())
        .containsEntry("transaction.version", 2)
        .containsEntry("metadata.version", 33);
  }

  @Test
  void a_changed_level_outlives_a_power_failure_and_its_epoch_rises() {
    assertThat(change(1, Direction.DOWN)).isNull();
    disk.crash();
    features = Features.open(disk, SUPPORTED);
    assertThat(features.levels().byName()).containsEntry("transaction.version", 1);
    assertThat(features.levels().epoch()).isEqualTo(1);
    assertThat(change(0, Direction.DOWN_AT_ANY_PRICE)).isNull();
    disk.crash();
    features = Features.open(disk, SUPPORTED);
    assertThat(features.levels().byName()).doesNotContainKey("transaction.version");
    assertThat(change(2, Direction.UP)).isNull();
    assertThat(features.levels().epoch()).isEqualTo(3);
  }

  @Test
  void a_dry_run_and_the_same_level_again_change_nothing() {
    List<Change> down = List.of(new Change("transaction.version", 0, Direction.DOWN));
    assertThat(features.change(down, true)).isNull();
    assertThat(change(2, Direction.UP)).isNull();
    assertThat(change(2, Direction.DOWN)).isNull();
    assertThat(features.levels().epoch()).isZero();
    assertThat(features.levels().byName()).containsEntry("transaction.version", 2);
  }

  @Test
  void the_direction_must_be_right_and_the_level_possible() {
    assertThat(change(1, Direction.UP)).contains("transaction.version", "level 2", "downgrade");
    assertThat(change(3, Direction.UP)).contains("0 to 2");
    assertThat(change(-1, Direction.DOWN)).contains("0 to 2");
    change(0, Direction.DOWN);
    assertThat(change(2, Direction.DOWN)).contains("level 0", "downgrade");
  }

  @Test
  void one_change_that_cannot_be_made_keeps_the_others_from_being_made() {
    List<Change> both =
        List.of(
            new Change("transaction.version", 1, Direction.DOWN),
            new Change("no.such", 1, Direction.UP));
    assertThat(features.change(both, false)).contains("no.such");
    List<Change> fixed = List.of(new Change("metadata.version", 32, Direction.DOWN));
    assertThat(features.change(fixed, false)).contains("33 to 33");
    assertThat(features.levels().byName()).containsEntry("transaction.version", 2);
  }

  @Test
  void a_damaged_file_is_refused_with_what_to_do() {
    change(1, Direction.DOWN);
    disk.corrupt("features.levels", 20);
    assertThatThrownBy(() -> Features.open(disk, SUPPORTED))
        .isInstanceOf(DiskException.class)
        .hasMessageContaining("features.levels is damaged");
  }

  @Test
  void a_level_that_only_another_version_knew_is_refused() {
    change(1, Direction.DOWN);
    List<Feature> other = List.of(new Feature("transaction.version", 2, 3));
    assertThatThrownBy(() -> Features.open(disk, other))
        .isInstanceOf(DiskException.class)
        .hasMessageContaining("transaction.version was set to level 1");
  }

  @Test
  void a_change_that_the_disk_refuses_is_not_shown() {
    disk.fill(0);
    assertThatThrownBy(() -> change(1, Direction.DOWN)).isInstanceOf(DiskException.class);
    disk.free();
    assertThat(features.levels().byName()).containsEntry("transaction.version", 2);
  }
}
