package io.fencepost.broker.producer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProducerStatesTest {
  private static final int MANY = 200_000;

  private static ProducerStates full(int ids) {
    ProducerStates states = new ProducerStates();
    for (int round = 0; round < 6; round++) {
      for (int id = 0; id < ids; id++) {
        ProducedBatch batch = new ProducedBatch(id, (short) 0, round, round, false);
        states.apply(batch, (long) round * ids + id, 0, round);
      }
    }
    return states;
  }

  private static long usedHeapBytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  @Test
  void an_idle_producer_with_five_batches_costs_at_most_200_bytes_of_heap() {
    long before = usedHeapBytes();
    ProducerStates states = full(MANY);
    long bytesPerId = (usedHeapBytes() - before) / MANY;
    assertThat(states.size()).isEqualTo(MANY);
    assertThat(bytesPerId).isBetween(100L, 200L);
  }

  @Test
  void expiry_frees_what_it_forgets_and_keeps_the_rest_findable() {
    ProducerStates states = full(1000);
    for (int id = 0; id < 1000; id += 2) {
      states.apply(new ProducedBatch(id, (short) 0, 6, 6, false), 6000 + id, 0, 100);
    }
    assertThat(states.expire(110, 100)).isEqualTo(500);
    for (int id = 0; id < 1000; id++) {
      assertThat(states.find(id) == null).isEqualTo(id % 2 == 1);
    }
  }

  @Test
  void a_snapshot_that_is_cut_anywhere_is_ignored() {
    ProducerStates states = full(3);
    byte[] bytes = ProducerSnapshot.write(states, 18);
    assertThat(ProducerSnapshot.read(bytes, 18)).isNotNull();
    assertThat(ProducerSnapshot.read(bytes, 17)).as("of another offset").isNull();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(bytes, length);
      assertThat(ProducerSnapshot.read(cut, 18)).as("cut at %d", length).isNull();
    }
  }
}
