package io.fencepost.broker.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.fencepost.broker.wire.message.MetadataRequest;
import io.fencepost.broker.wire.twin.Twin;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever bytes come: a message or a {@link WireException}, and memory in proportion to them. */
class HostileBytesTest {
  private static final int ROUNDS = 3;
  private static final long BYTES_PER_BYTE = 64;
  private static final long BYTES_FOR_NOTHING = 64 * 1024;

  private final Random random = new Random(Messages.seed());
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private int refused;

  @Test
  void a_message_cut_short_anywhere_is_refused() throws Exception {
    for (Twin twin : Messages.all()) {
      for (int version = twin.lowestVersion(); version <= twin.highestVersion(); version++) {
        byte[] whole = twin.randomBytes(random, version);
        for (int round = 0; round < ROUNDS && whole.length > 0; round++) {
          int before = refused;
          // The rest stands behind the end: who reads past it finds a whole message.
          feed(twin, ByteBuffer.wrap(whole, 0, random.nextInt(whole.length)), version);
          assertThat(refused).as(twin + " version " + version).isEqualTo(before + 1);
        }
      }
    }
  }

  @Test
  void damaged_messages_do_no_harm() throws Exception {
    for (Twin twin : Messages.all()) {
      for (int version = twin.lowestVersion(); version <= twin.highestVersion(); version++) {
        for (int round = 0; round < ROUNDS; round++) {
          byte[] bytes = twin.randomBytes(random, version);
          for (int hits = bytes.length == 0 ? 0 : 1 + random.nextInt(4); hits > 0; hits--) {
            bytes[random.nextInt(bytes.length)] =
                (byte) (random.nextInt(3) == 0 ? -1 : random.nextInt());
          }
          feed(twin, bytes, version);
        }
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void noise_does_no_harm() throws Exception {
    for (Twin twin : Messages.all()) {
      for (int version = twin.lowestVersion(); version <= twin.highestVersion(); version++) {
        for (int round = 0; round < ROUNDS; round++) {
          byte[] bytes = new byte[random.nextInt(2000)];
          random.nextBytes(bytes);
          feed(twin, bytes, version);
        }
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void a_header_is_read_or_refused_whatever_it_is() {
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = new byte[random.nextInt(40)];
      random.nextBytes(bytes);
      if (bytes.length > 3 && random.nextBoolean()) {
        bytes[0] = 0;
        bytes[1] = (byte) random.nextInt(100);
        bytes[2] = 0;
        bytes[3] = (byte) random.nextInt(20);
      }
      WireReader in = new WireReader(ByteBuffer.wrap(bytes));
      try {
        assertThat(RequestHeader.read(in)).isNotNull();
      } catch (WireException e) {
        refused++;
      }
      assertThat(in.position()).isLessThanOrEqualTo(bytes.length);
    }
    assertThat(refused).isPositive();
  }

  @Test
  void memory_for_many_small_elements_is_asked_for_before_it_is_taken() {
    int count = 100_000;
    ByteBuffer bytes = ByteBuffer.allocate(4 + 2 * count + 6);
    WireWriter out = new WireWriter();
    out.writeArrayLength(count, true);
    bytes.put(out.toBuffer());
    for (int i = 0; i < count; i++) {
      bytes.put((byte) 1).put((byte) 0);
    }
    bytes.put(new byte[4]).flip();
    long[] claimed = new long[1];
    long before = threads.getCurrentThreadAllocatedBytes();
    MetadataRequest.read(new WireReader(bytes, size -> (claimed[0] += size) > 0), 9);
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(claimed[0]);
    before = threads.getCurrentThreadAllocatedBytes();
    assertThatThrownBy(() -> MetadataRequest.read(new WireReader(bytes, size -> false), 9))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("queued.max.request.bytes");
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(BYTES_FOR_NOTHING);
  }

  private void feed(Twin twin, byte[] bytes, int version) throws ReflectiveOperationException {
    feed(twin, ByteBuffer.wrap(bytes), version);
  }

  /** Anything thrown but a WireException fails the test by itself. */
  @SuppressWarnings("CheckReturnValue") // what was read does not matter here
  private void feed(Twin twin, ByteBuffer bytes, int version) throws ReflectiveOperationException {
    long[] claimed = new long[1];
    WireException refusal = null;
    long limit = 0;
    long allocated = Long.MAX_VALUE;
    // What the first reading allocates may be classes and call sites of the JVM.
    for (int reading = 0; reading < 2 && allocated >= limit; reading++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      try {
        claimed[0] = 0;
        twin.read(new WireReader(bytes, size -> (claimed[0] += size) > 0), version);
      } catch (WireException e) {
        refusal = e;
      }
      allocated = threads.getCurrentThreadAllocatedBytes() - before;
      limit =
          BYTES_FOR_NOTHING
              + Math.min(
                  BYTES_PER_BYTE * bytes.remaining(), 2 * (WireReader.FREE_BYTES + claimed[0]));
    }
    if (refusal != null) {
      refused++;
      assertThat(refusal).hasMessageContaining("position");
    }
    assertThat(allocated)
        .as("bytes allocated for %d bytes of %s version %d", bytes.remaining(), twin, version)
        .isLessThan(limit);
  }
}
