package io.fencepost.txn.ids;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ProducerIdsTest {
  @Test
  void no_id_is_handed_out_twice_whatever_the_power_does() {
    SimEntropy chance = new SimEntropy(7);
    SimDisk disk = new SimDisk(chance.named("disk"));
    TreeSet<Long> seen = new TreeSet<>();
    for (int life = 0; life < 20; life++) {
      ProducerIds ids = new ProducerIds(disk);
      for (int i = chance.nextInt(2 * ProducerIds.BLOCK); i >= 0; i--) {
        assertThat(seen.add(ids.nextId())).isTrue();
      }
      disk.crash();
    }
  }
}
