package io.fencepost.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemoryGateTest {
  private static final long CAP = 1000;
  private final MemoryGate gate = new MemoryGate(CAP);

  private static boolean gets(MemoryGate.Share share, long sizeBytes) {
    try {
      share.take(sizeBytes, () -> false);
      return true;
    } catch (IOException blocked) {
      return false;
    }
  }

  @Test
  void two_frames_that_cannot_both_be_held_are_not_both_begun() {
    MemoryGate.Share first = gate.open();
    MemoryGate.Share second = gate.open();
    first.begin(900);
    second.begin(900);
    assertThat(gets(first, 450)).isTrue();
    assertThat(gets(second, 450)).as("the rest of the first would not fit any more").isFalse();
    assertThat(gets(second, 100)).as("beside the whole first").isTrue();
    assertThat(gets(first, 450)).isTrue();
    first.complete();
    assertThat(gets(second, 100)).isFalse();
    first.give(900);
    assertThat(gets(second, 800)).isTrue();
    assertThat(gate.usedBytes()).isEqualTo(900);
  }

  @Test
  void small_frames_pass_a_large_one_that_stands_still() {
    MemoryGate.Share large = gate.open();
    large.begin(1000);
    assertThat(gets(large, 500)).isTrue();
    MemoryGate.Share small = gate.open();
    small.begin(400);
    assertThat(gets(small, 400)).isTrue();
    small.complete();
    small.close();
    assertThat(gets(large, 500)).isTrue();
  }

  @Test
  void a_kept_buffer_goes_when_its_memory_is_needed() {
    MemoryGate.Share keeper = gate.open();
    keeper.begin(600);
    assertThat(gets(keeper, 600)).isTrue();
    keeper.complete();
    ByteBuffer buffer = ByteBuffer.allocate(600);
    keeper.keep(buffer);
    assertThat(gate.usedBytes()).isZero();
    assertThat(gate.keptBytes()).isEqualTo(600);
    assertThat(keeper.begin(600)).isSameAs(buffer);
    assertThat(gate.usedBytes()).isEqualTo(600);
    keeper.complete();
    keeper.keep(buffer);
    MemoryGate.Share other = gate.open();
    other.begin(500);
    assertThat(gets(other, 500)).isTrue();
    assertThat(gate.keptBytes()).isZero();
    assertThat(keeper.begin(600)).isNull();
  }

  @Test
  void claims_are_refused_rather_than_waited_for_and_end_with_the_answer() {
    MemoryGate.Share share = gate.open();
    MemoryGate.Share other = gate.open();
    assertThat(share.claim(700)).isTrue();
    assertThat(other.claim(400)).isFalse();
    other.begin(400);
    assertThat(gets(other, 300)).isTrue();
    share.releaseClaims();
    assertThat(gate.usedBytes()).isEqualTo(300);
    assertThat(gets(other, 100)).isTrue();
    other.close();
    assertThat(other.claim(1)).as("after the end").isFalse();
    assertThat(gate.usedBytes()).isZero();
  }

  @Test
  void waiting_ends_when_it_has_become_pointless() {
    MemoryGate.Share share = gate.open();
    assertThat(share.claim(CAP)).isTrue();
    MemoryGate.Share other = gate.open();
    other.begin(10);
    assertThatThrownBy(() -> other.take(10, () -> false)).isInstanceOf(IOException.class);
    assertThat(gate.isAwaited()).isFalse();
  }

  /** One connection of the random run. */
  private static final class Reader {
    final MemoryGate.Share share;
    int frameBytes;
    int heldBytes;

    Reader(MemoryGate.Share share) {
      this.share = share;
    }
  }

  @Test
  void the_cap_holds_and_somebody_can_always_go_on() {
    long seed = Long.getLong("fencepost.seed", System.nanoTime());
    System.out.println("rerun with -Dfencepost.seed=" + seed);
    Random random = new Random(seed);
    List<Reader> readers = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      readers.add(new Reader(gate.open()));
    }
    int answered = 0;
    for (int round = 0; round < 20_000; round++) {
      if (step(readers.get(random.nextInt(readers.size())), random)) {
        answered++;
      }
      assertThat(gate.usedBytes() + gate.keptBytes()).as("seed %d", seed).isLessThanOrEqualTo(CAP);
      if (round % 50 == 0) {
        assertThat(readers.stream().anyMatch(reader -> canGoOn(reader)))
            .as("seed %d: nobody can go on in round %d", seed, round)
            .isTrue();
      }
    }
    assertThat(answered).as("seed %d", seed).isPositive();
  }

  private static boolean canGoOn(Reader reader) {
    if (reader.frameBytes == 0 || reader.heldBytes >= reader.frameBytes) {
      return true;
    }
    if (gets(reader.share, 1)) {
      reader.share.give(1);
      return true;
    }
    return false;
  }

  private static boolean step(Reader reader, Random random) {
    if (reader.frameBytes == 0) {
      reader.frameBytes = 1 + random.nextInt((int) CAP);
      ByteBuffer kept = reader.share.begin(reader.frameBytes);
      reader.heldBytes = kept == null ? 0 : kept.capacity();
      return false;
    }
    if (reader.heldBytes < reader.frameBytes) {
      int wanted = 1 + random.nextInt(reader.frameBytes - reader.heldBytes);
      if (gets(reader.share, wanted)) {
        reader.heldBytes += wanted;
      }
      return false;
    }
    reader.share.complete();
    reader.share.claim(random.nextInt(100));
    reader.share.releaseClaims();
    reader.share.keep(ByteBuffer.allocate(reader.heldBytes));
    reader.frameBytes = 0;
    reader.heldBytes = 0;
    return true;
  }
}
