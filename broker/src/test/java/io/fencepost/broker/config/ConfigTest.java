package io.fencepost.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigTest {
  @ParameterizedTest
  @CsvSource({
    "num.partition,num.partitions",
    "log.retention.m,log.retention.ms",
    "mesage.max.bytes,message.max.bytes",
    "listener,listeners",
    "flsuh,flush"
  })
  void a_misspelt_key_is_refused_with_the_nearest_one(String wrong, String right) {
    assertThatThrownBy(() -> BrokerConfig.of(Map.of(wrong, "1")))
        .isInstanceOf(ConfigException.class)
        .hasMessage("Unknown broker config name: " + wrong + "; did you mean " + right + "?");
  }

  @Test
  void a_key_like_no_other_gets_no_suggestion() {
    assertThat(NearestKey.of("zzzzzzzz", BrokerKeys.TABLE.names())).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "num.partitions,0",
    "num.partitions,many",
    "flush,sometimes",
    "auto.create.topics.enable,perhaps",
    "log.cleaner.min.cleanable.ratio,1.5",
    "log.segment.bytes,99999999999"
  })
  void an_impossible_value_is_refused_by_name(String key, String value) {
    assertThatThrownBy(() -> BrokerConfig.of(Map.of(key, value)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(key)
        .hasMessageContaining(value);
  }

  @Test
  void every_default_keeps_its_own_rule() {
    for (ConfigKey key : BrokerKeys.TABLE.all()) {
      if (key.defaultValue() != null) {
        assertThat(key.problem(key.defaultValue())).as(key.name()).isNull();
      }
    }
  }

  @Test
  void times_of_groups_must_fit_together() {
    BrokerConfig shortSessions =
        BrokerConfig.defaults().with("group.consumer.min.session.timeout.ms", "1000");
    assertUnfit(
        BrokerConfig.defaults().with("group.consumer.session.timeout.ms", "3000"),
        "group.consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.");
    assertUnfit(
        shortSessions.with("group.consumer.session.timeout.ms", "5000"),
        "group.consumer.heartbeat.interval.ms must be less than group.consumer.session.timeout.ms");
    assertUnfit(
        BrokerConfig.defaults().with("group.max.session.timeout.ms", "5999"),
        "group.min.session.timeout.ms must not be greater than group.max.session.timeout.ms");
    GroupBounds.check(shortSessions.with("group.consumer.session.timeout.ms", "5001"));
  }

  private static void assertUnfit(BrokerConfig config, String reason) {
    assertThatThrownBy(() -> GroupBounds.check(config))
        .isInstanceOf(ConfigException.class)
        .hasMessage(reason);
  }
}
