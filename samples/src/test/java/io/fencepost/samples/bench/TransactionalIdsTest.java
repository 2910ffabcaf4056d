package io.fencepost.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.txn.shard.ShardMap;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransactionalIdsTest {
  @Test
  void ids_are_different_and_all_of_one_partition() {
    List<String> ids = TransactionalIds.of(3, 4, 1_000);

    assertThat(ids).hasSize(1_000).doesNotHaveDuplicates();
    assertThat(ids).allMatch(id -> ShardMap.partitionFor(id, 4) == 3);
  }
}
