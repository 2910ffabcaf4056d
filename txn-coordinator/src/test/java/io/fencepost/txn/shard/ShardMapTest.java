package io.fencepost.txn.shard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which internal partition serves a transactional id or group, as Kafka has it. */
class ShardMapTest {
  @Test
  void the_hash_of_the_key_without_its_sign_decides() {
    assertThat(ShardMap.partitionFor("a", 50)).isEqualTo(97 % 50);
    assertThat(ShardMap.partitionFor("payment-dedup", 50))
        .isEqualTo(("payment-dedup".hashCode() & 0x7fffffff) % 50);
  }

  @Test
  void a_negative_hash_loses_its_sign_bit_and_is_not_negated() {
    String smallest = "polygenelubricants";
    assertThat(smallest.hashCode()).isEqualTo(Integer.MIN_VALUE);
    assertThat(ShardMap.partitionFor(smallest, 50)).isZero();
    String negative = "zzzzzz";
    assertThat(negative.hashCode()).isNegative();
    assertThat(ShardMap.partitionFor(negative, 7))
        .isEqualTo((negative.hashCode() & 0x7fffffff) % 7);
  }

  @Test
  void an_empty_key_has_a_place_too() {
    assertThat(ShardMap.partitionFor("", 50)).isZero();
  }
}
