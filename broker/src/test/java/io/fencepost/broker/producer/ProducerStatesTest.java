package io.fencepost.broker.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
    byte[] bytes = SnapshotBytes.write(states, 18);
    assertThat(SnapshotBytes.read(bytes, 18)).isNotNull();
    assertThat(SnapshotBytes.read(bytes, 17)).as("of another offset").isNull();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThat(SnapshotBytes.read(cut, 18)).as("cut at %d", length).isNull();
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThat(SnapshotBytes.read(longer, 18)).as("with more behind").isNull();
  }

  @Test
  void a_snapshot_with_any_bit_turned_over_is_ignored() {
    byte[] bytes = SnapshotBytes.write(full(3), 18);
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] damaged = bytes.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(SnapshotBytes.read(damaged, 18)).as("bit %d", bit).isNull();
    }
  }

  @Test
  void a_snapshot_brings_back_every_producer_whatever_its_size() {
    ProducerStates states = new ProducerStates();
    long offset = 0;
    for (long id = 0; id < 5_000; id++) {
      short epoch = (short) (id % 3);
      if (id % 5 == 4) {
        // A transaction that is open, by a producer whose first sequence is about to wrap.
        int first = Integer.MAX_VALUE - 1;
        states.apply(new ProducedBatch(id, epoch, first, 1, true), offset, id, 2 * id);
        offset += 4;
      }
      if (id % 7 == 6) {
        states.applyMarker(new Marker(id, epoch, true, 3), offset++, 2 * id);
      }
      for (int sequence = 0; id % 5 != 4 && sequence < id % 8; sequence++) {
        ProducedBatch batch = new ProducedBatch(id, epoch, sequence, sequence, false);
        states.apply(batch, offset++, id + sequence, 2 * id);
      }
    }
    states.onHighWatermark(offset);

    ProducerStates read = SnapshotBytes.read(SnapshotBytes.write(states, offset), offset);

    assertThat(described(read)).isEqualTo(described(states)).hasSizeGreaterThan(4_000);
    assertThat(read.lastStableOffset(offset)).isEqualTo(states.lastStableOffset(offset));
    assertThat(read.openCount()).isEqualTo(states.openCount()).isPositive();
  }

  private static List<String> described(ProducerStates states) {
    List<String> all = new ArrayList<>();
    for (ProducerEntry entry : states.sorted()) {
      StringBuilder text = new StringBuilder();
      text.append(entry.producerId()).append(" epoch ").append(entry.epoch());
      text.append(" coordinator ").append(entry.coordinatorEpoch());
      text.append(" seen ").append(entry.lastSeenMs()).append(" open ");
      text.append(entry.openFirstOffset());
      for (int i = 0; i < entry.batchCount(); i++) {
        text.append(" [").append(entry.firstSequence(i)).append(' ').append(entry.lastSequence(i));
        text.append(" at ").append(entry.baseOffset(i)).append(' ').append(entry.timestamp(i));
        text.append(']');
      }
      all.add(text.toString());
    }
    return all;
  }
}
