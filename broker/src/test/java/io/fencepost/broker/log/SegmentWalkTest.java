package io.fencepost.broker.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.sim.SimEntropy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every intact batch is found, every other byte is in some damage, whatever was done to a file. */
class SegmentWalkTest {
  private static final int BATCHES = 40;

  static LongStream seeds() {
    String given = System.getProperty("fencepost.seed", "");
    return given.isEmpty() ? LongStream.range(0, 200) : LongStream.of(Long.decode(given));
  }

  private final LogFixture fixture = new LogFixture();
  private final TreeMap<Long, Long> endByPosition = new TreeMap<>();

  private byte[] write() {
    ByteBuffer all = ByteBuffer.allocate(1 << 16);
    for (int i = 0; i < BATCHES; i++) {
      long position = all.position();
      all.put(LogFixture.batch(i * 3L, 3));
      endByPosition.put(position, (long) all.position());
    }
    byte[] bytes = new byte[all.position()];
    all.flip().get(bytes);
    return bytes;
  }

  private SegmentWalk walk(byte[] bytes) {
    AppendFile file = fixture.disk.open(fixture.path(0, SegmentNames.LOG));
    file.truncate(0);
    file.append(ByteBuffer.wrap(bytes));
    file.close();
    return new LogView(fixture.disk, LogFixture.DIRECTORY).walk(0);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void the_walk_goes_on_behind_damage(long seed) {
    SimEntropy entropy = new SimEntropy(seed);
    byte[] bytes = write();
    TreeMap<Long, Long> intact = new TreeMap<>(endByPosition);
    for (int hits = 1 + entropy.nextInt(5); hits > 0; hits--) {
      int at = entropy.nextInt(bytes.length);
      int count = 1 + entropy.nextInt(Math.min(300, bytes.length - at));
      for (int i = at; i < at + count; i++) {
        bytes[i] = (byte) (bytes[i] ^ (1 + entropy.nextInt(255)));
      }
      intact.entrySet().removeIf(batch -> batch.getKey() < at + count && batch.getValue() > at);
    }
    SegmentWalk walk = walk(bytes);
    TreeMap<Long, Long> found = new TreeMap<>();
    long covered = 0;
    while (walk.next()) {
      assertThat(walk.position()).as("no byte is left out, seed %d", seed).isEqualTo(covered);
      assertThat(walk.endPosition()).isGreaterThan(walk.position());
      covered = walk.endPosition();
      if (!walk.isDamage()) {
        found.put(walk.position(), walk.endPosition());
      } else {
        assertThat(walk.damage()).isNotEmpty();
      }
    }
    assertThat(covered).isEqualTo(bytes.length);
    // Base offset and leader epoch are not under the checksum: damage there can leave a batch.
    assertThat(found).as("seed %d", seed).containsAllEntriesOf(intact);
    assertThat(endByPosition).as("seed %d", seed).containsAllEntriesOf(found);
  }

  @Test
  void a_batch_inside_of_a_damaged_record_is_not_taken_for_one_of_the_log() {
    ByteBuffer inner = LogFixture.batch(4, 2);
    byte[] payload = new byte[inner.remaining()];
    inner.get(payload);
    ByteBuffer outer =
        io.fencepost.broker.batch.BatchWriter.at(0).leaderEpoch(0).add(1, null, payload).build();
    byte[] bytes = new byte[outer.remaining() + LogFixture.batch(1, 1).remaining()];
    int outerSize = outer.remaining();
    ByteBuffer.wrap(bytes).put(outer).put(LogFixture.batch(1, 1));
    bytes[outerSize - 1] ^= 1;
    SegmentWalk walk = walk(bytes);
    List<Long> bases = new ArrayList<>();
    while (walk.next()) {
      if (!walk.isDamage()) {
        bases.add(walk.view().baseOffset());
      }
    }
    assertThat(bases).containsExactly(1L);
  }
}
