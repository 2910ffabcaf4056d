package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.config.ConfigException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterConfigTest {
  @ParameterizedTest
  @CsvSource({
    "default.replication.factor, 4, 'default.replication.factor is 4, it must be at most 3'",
    "offsets.topic.replication.factor, 5, 'replication.factor is 5, it must be at most 3'",
    "transaction.state.log.replication.factor, 4, 'factor is 4, it must be at most 3'",
    "min.insync.replicas, 4, 'is 4, it must be at most 3: default.replication.factor is that'",
    "transaction.state.log.min.isr, 4, 'it must be at most 3: transaction.state.log.replication'",
  })
  void more_copies_than_there_can_be_are_refused(String key, String value, String message) {
    ClusterConfig.Builder config = ClusterConfig.builder().brokers(3).set(key, value);
    assertThatThrownBy(config::build)
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }

  @Test
  void as_many_copies_as_there_are_brokers_are_fine() {
    ClusterConfig config =
        ClusterConfig.builder()
            .brokers(5)
            .set("default.replication.factor", "5")
            .set("min.insync.replicas", "5")
            .firstPort(65_531)
            .build();
    assertThat(config.brokers()).isEqualTo(5);
  }

  @Test
  void ports_behind_the_last_one_are_refused() {
    ClusterConfig.Builder config = ClusterConfig.builder().brokers(3).firstPort(65_534);
    assertThatThrownBy(config::build).hasMessageContaining("From port 65534 on", "65535");
  }

  @Test
  void a_directory_without_a_name_is_refused() {
    ClusterConfig.Builder config = ClusterConfig.builder().dir(Path.of(""));
    assertThatThrownBy(config::build).hasMessageContaining("must have a name");
  }
}
