package io.fencepost.broker.port.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.DiskException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SimDiskTest {
  @Test
  void forced_bytes_and_names_survive_every_power_failure() {
    for (long seed = 0; seed < 200; seed++) {
      SimDisk disk = new SimDisk(new SimEntropy(seed));
      AppendFile file = disk.open("d/f");
      file.append(bytes(100, 1));
      file.force();
      disk.forceDirectory("d");
      disk.forceDirectory("");
      file.append(bytes(1000, 2));
      disk.replace("d/small", new byte[] {7});
      disk.crash();
      assertThat(Arrays.copyOf(disk.read("d/f"), 100)).isEqualTo(bytes(100, 1).array());
      assertThat(disk.read("d/f").length).isBetween(100, 1100);
      assertThat(disk.read("d/small")).containsExactly(7);
    }
  }

  @Test
  void unforced_bytes_are_lost_wholly_partly_or_not_at_all_and_may_be_torn() {
    TreeSet<Integer> sizes = new TreeSet<>();
    boolean torn = false;
    for (long seed = 0; seed < 200; seed++) {
      SimDisk disk = new SimDisk(new SimEntropy(seed));
      AppendFile file = disk.open("f");
      disk.forceDirectory("");
      file.append(bytes(1000, 2));
      disk.crash();
      byte[] left = disk.read("f");
      sizes.add(left.length);
      for (byte b : left) {
        torn |= b == 0;
      }
    }
    assertThat(sizes).contains(0, 1000).hasSizeGreaterThan(20);
    assertThat(torn).isTrue();
  }

  @Test
  void unforced_names_may_be_lost_or_come_back() {
    TreeSet<String> outcomes = new TreeSet<>();
    for (long seed = 0; seed < 200; seed++) {
      SimDisk disk = new SimDisk(new SimEntropy(seed));
      disk.open("old").force();
      disk.open("moved").force();
      disk.forceDirectory("");
      disk.delete("old");
      disk.rename("moved", "target");
      disk.open("new").force();
      disk.crash();
      outcomes.add(disk.list("").toString());
      assertThat(disk.exists("moved")).isNotEqualTo(disk.exists("target"));
    }
    assertThat(outcomes).contains("[moved, old]", "[new, target]").hasSizeGreaterThan(4);
  }

  @Test
  void cut_and_overwritten_bytes_may_come_back_until_forced() {
    TreeSet<Integer> firsts = new TreeSet<>();
    for (long seed = 0; seed < 100; seed++) {
      SimDisk disk = new SimDisk(new SimEntropy(seed));
      AppendFile file = disk.open("f");
      file.append(bytes(10, 1));
      file.force();
      disk.forceDirectory("");
      file.truncate(4);
      file.append(bytes(6, 3));
      disk.crash();
      byte[] left = disk.read("f");
      assertThat(Arrays.copyOf(left, 4)).isEqualTo(bytes(4, 1).array());
      if (left.length > 4) {
        firsts.add((int) left[4]);
      }
    }
    assertThat(firsts).contains(1, 3);
  }

  @Test
  void a_full_disk_takes_nothing_and_faults_come_when_asked() {
    SimDisk disk = new SimDisk(new SimEntropy(1));
    AppendFile file = disk.open("f");
    disk.fill(10);
    file.append(bytes(8, 1));
    assertThatThrownBy(() -> file.append(bytes(3, 1))).isInstanceOf(DiskException.class);
    assertThat(file.sizeBytes()).isEqualTo(8);
    disk.free();
    file.append(bytes(3, 1));
    disk.failNextForce();
    assertThatThrownBy(file::force).isInstanceOf(DiskException.class);
    file.force();
    byte[] before = disk.read("f");
    disk.corrupt("f", 5);
    assertThat(disk.read("f")).isNotEqualTo(before);
    disk.kill();
    assertThatThrownBy(() -> file.append(bytes(1, 1))).isInstanceOf(DiskException.class);
    assertThat(disk.read("f")).hasSize(11);
  }

  @Test
  void s4_the_same_seed_loses_the_same() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(lossOf(seed)).isEqualTo(lossOf(seed));
    }
  }

  private static String lossOf(long seed) {
    SimDisk disk = new SimDisk(new SimEntropy(seed));
    for (int i = 0; i < 10; i++) {
      disk.open("f" + i).append(bytes(700, i + 1));
    }
    disk.crash();
    StringBuilder left = new StringBuilder();
    for (String name : disk.list("")) {
      left.append(name).append(Arrays.hashCode(disk.read(name)));
    }
    return left.toString();
  }

  private static ByteBuffer bytes(int count, int value) {
    byte[] bytes = new byte[count];
    Arrays.fill(bytes, (byte) value);
    return ByteBuffer.wrap(bytes);
  }
}
