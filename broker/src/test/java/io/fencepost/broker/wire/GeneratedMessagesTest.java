package io.fencepost.broker.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.twin.Twin;
import java.util.Random;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

class GeneratedMessagesTest {
  private static final int ROUNDS = 5;
  private final Random random = new Random(Messages.seed());

  @Test
  void every_message_knows_the_versions_that_kafka_knows() throws Exception {
    assertThat(Messages.all()).hasSizeGreaterThan(120);
    for (Twin twin : Messages.all()) {
      twin.checkVersions();
    }
  }

  @Test
  void an_untouched_message_has_kafkas_defaults_in_every_version() throws Exception {
    for (Twin twin : Messages.all()) {
      twin.checkDefaults();
    }
  }

  @Test
  void what_kafka_writes_is_read_as_the_same_values_and_written_as_the_same_bytes()
      throws Exception {
    for (Twin twin : Messages.all()) {
      for (int round = 0; round < ROUNDS; round++) {
        twin.checkRandom(random);
      }
    }
  }

  @Test
  void a_field_that_a_version_lacks_is_dropped_or_refused_as_kafka_does() throws Exception {
    for (Twin twin : Messages.all()) {
      for (int round = 0; round < ROUNDS; round++) {
        twin.checkOtherVersion(random);
      }
    }
  }

  @Test
  void every_api_has_kafkas_number_stable_versions_and_header_versions() {
    for (ApiKey key : ApiKey.values()) {
      ApiKeys theirs = ApiKeys.forId(key.id());
      assertThat(key.apiName()).isEqualTo(theirs.name);
      assertThat(key.lowestVersion()).isEqualTo(theirs.oldestVersion());
      assertThat(key.highestVersion()).isEqualTo(theirs.latestVersion(false));
      for (short v = theirs.oldestVersion(); v <= theirs.latestVersion(); v++) {
        assertThat(key.requestHeaderVersion(v)).isEqualTo(theirs.requestHeaderVersion(v));
        assertThat(key.responseHeaderVersion(v)).isEqualTo(theirs.responseHeaderVersion(v));
      }
      assertThat(ApiKey.of(key.id())).isSameAs(key);
    }
    assertThat(ApiKey.of(-1)).isNull();
    assertThat(ApiKey.of(4)).as("LeaderAndIsr is gone").isNull();
    assertThat(ApiKey.of(Short.MAX_VALUE)).isNull();
  }

  @Test
  void every_api_of_a_broker_has_classes_except_those_of_quorums_and_share_state() {
    for (ApiKeys theirs : ApiKeys.brokerApis()) {
      boolean leftOut = theirs.name.contains("Voter") || theirs.name.contains("ShareGroupState");
      assertThat(ApiKey.of(theirs.id) == null).as(theirs.name).isEqualTo(leftOut);
    }
  }
}
