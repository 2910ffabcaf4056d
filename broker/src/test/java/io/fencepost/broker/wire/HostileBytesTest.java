package io.fencepost.broker.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.fencepost.broker.wire.twin.Twin;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
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
          feed(twin, Arrays.copyOf(whole, random.nextInt(whole.length)), version);
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

  /** Anything thrown but a WireException fails the test by itself. */
  @SuppressWarnings("CheckReturnValue") // what was read does not matter here
  private void feed(Twin twin, byte[] bytes, int version) throws ReflectiveOperationException {
    long limit = BYTES_FOR_NOTHING + BYTES_PER_BYTE * bytes.length;
    WireException refusal = null;
    long allocated = Long.MAX_VALUE;
    // What the first reading allocates may be classes and call sites of the JVM.
    for (int reading = 0; reading < 2 && allocated >= limit; reading++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      try {
        twin.read(bytes, version);
      } catch (WireException e) {
        refusal = e;
      }
      allocated = threads.getCurrentThreadAllocatedBytes() - before;
    }
    if (refusal != null) {
      refused++;
      assertThat(refusal).hasMessageContaining("position");
    }
    assertThat(allocated)
        .as("bytes allocated for %d bytes of %s version %d", bytes.length, twin, version)
        .isLessThan(limit);
  }
}
