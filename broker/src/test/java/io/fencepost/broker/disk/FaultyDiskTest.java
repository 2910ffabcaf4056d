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

class FaultyDiskTest {
  @TempDir private Path directory;
  private FaultyDisk disk;

  @BeforeEach
  void open() {
    disk = new FaultyDisk(new FileDisk(directory));
  }

  @Test
  void a_full_disk_lets_nothing_grow_and_everything_be_read_until_there_is_room() {
    try (AppendFile file = disk.open("log")) {
      file.append(ByteBuffer.allocate(3));
      disk.fill();
      assertThatThrownBy(() -> file.append(ByteBuffer.allocate(1)))
          .isInstanceOf(DiskException.class)
          .hasMessageContaining("full");
      assertThatThrownBy(() -> disk.open("new")).isInstanceOf(DiskException.class);
      assertThatThrownBy(() -> disk.replace("log", new byte[1])).isInstanceOf(DiskException.class);
      assertThat(file.sizeBytes()).isEqualTo(3);
      assertThat(disk.read("log")).hasSize(3);
      disk.free();
      file.append(ByteBuffer.allocate(1));
      assertThat(file.sizeBytes()).isEqualTo(4);
    }
  }

  @Test
  void as_many_forces_fail_as_were_asked_for() {
    try (AppendFile file = disk.open("log")) {
      disk.failNextForce();
      disk.failNextForce();
      assertThatThrownBy(file::force).isInstanceOf(DiskException.class);
      assertThatThrownBy(() -> disk.forceDirectory("")).isInstanceOf(DiskException.class);
      file.force();
    }
  }
}
