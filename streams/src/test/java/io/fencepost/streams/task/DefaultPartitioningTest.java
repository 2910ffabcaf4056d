package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class DefaultPartitioningTest {
  /** The client's own is the oracle. */
  @Test
  void keys_of_all_lengths_go_where_the_client_sends_them() {
    Random random = new Random(7);
    for (int i = 0; i < 5_000; i++) {
      byte[] key = new byte[random.nextInt(40)];
      random.nextBytes(key);
      int count = 1 + random.nextInt(50);
      assertThat(DefaultPartitioning.partition(key, count))
          .as("seed 7, try %d", i)
          .isEqualTo(Utils.toPositive(Utils.murmur2(key)) % count);
    }
  }
}
