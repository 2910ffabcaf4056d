package io.fencepost.broker.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.DiskException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MortalDiskTest {
  @TempDir private Path directory;
  private MortalDisk disk;

  @BeforeEach
  void open() {
    disk = new MortalDisk(new FileDisk(directory));
  }

  private static ByteBuffer bytes(int count) {
    return ByteBuffer.allocate(count);
  }

  @Test
  void a_dead_disk_takes_nothing_and_files_of_an_earlier_life_stay_shut() {
    AppendFile file = disk.open("orders-0/log");
    file.append(bytes(3));
    disk.die();
    assertThatThrownBy(() -> file.append(bytes(1))).isInstanceOf(DiskException.class);
    assertThatThrownBy(() -> disk.delete("orders-0")).isInstanceOf(DiskException.class);
    disk.revive();
    assertThatThrownBy(() -> file.append(bytes(1))).isInstanceOf(DiskException.class);
    file.close();
    assertThat(disk.open("orders-0/log").sizeBytes()).isEqualTo(3);
  }

  @Test
  void power_takes_what_was_not_forced_and_nothing_else() {
    try (AppendFile file = disk.open("orders-0/log")) {
      file.append(bytes(3));
      file.force();
      file.append(bytes(4));
    }
    disk.rename("orders-0", "stray");
    disk.die();
    assertThat(disk.losePower()).isEqualTo(4);
    disk.revive();
    try (AppendFile file = disk.open("stray/log")) {
      assertThat(file.sizeBytes()).isEqualTo(3);
    }
  }

  @Test
  void power_that_fails_in_the_middle_of_the_last_write_leaves_half_of_it() {
    try (AppendFile log = disk.open("orders-0/log");
        AppendFile other = disk.open("orders-1/log")) {
      log.append(bytes(3));
      log.force();
      other.append(bytes(5));
      log.append(bytes(4));
      log.append(bytes(6));
    }
    disk.die();
    assertThat(disk.tearTail()).isEqualTo(3 + 5);
    disk.revive();
    try (AppendFile log = disk.open("orders-0/log");
        AppendFile other = disk.open("orders-1/log")) {
      assertThat(log.sizeBytes()).isEqualTo(3 + 4 + 3);
      assertThat(other.sizeBytes()).isZero();
      log.force();
    }
    disk.die();
    assertThat(disk.tearTail()).as("the last write is forced by now").isZero();
  }

  @Test
  void what_was_there_at_the_beginning_counts_as_forced_and_a_cut_lowers_what_is() {
    try (AppendFile file = new FileDisk(directory).open("log")) {
      file.append(bytes(5));
    }
    try (AppendFile file = disk.open("log")) {
      file.truncate(2);
      file.append(bytes(9));
    }
    assertThat(disk.losePower()).isEqualTo(9);
  }
}
