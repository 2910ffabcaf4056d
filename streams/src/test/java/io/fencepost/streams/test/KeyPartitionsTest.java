package io.fencepost.streams.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class KeyPartitionsTest {
  @Test
  void a_key_gets_the_partition_that_kafka_s_producer_chooses() {
    long seed = 42;
    Random random = new Random(seed);
    for (int length = 0; length < 200; length++) {
      byte[] key = new byte[length];
      random.nextBytes(key);
      int partitions = 1 + random.nextInt(20);
      assertThat(KeyPartitions.partition(key, partitions, 0))
          .as("seed %d, %d bytes, %d partitions", seed, length, partitions)
          .isEqualTo(Utils.toPositive(Utils.murmur2(key)) % partitions);
    }
  }

  @Test
  void records_without_a_key_take_turns() {
    assertThat(KeyPartitions.partition(null, 3, 0)).isZero();
    assertThat(KeyPartitions.partition(null, 3, 1)).isEqualTo(1);
    assertThat(KeyPartitions.partition(null, 3, 5)).isEqualTo(2);
  }
}
