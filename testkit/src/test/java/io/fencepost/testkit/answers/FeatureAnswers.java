package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.message.ApiVersionsRequest;
import io.fencepost.broker.wire.message.ApiVersionsResponse;
import io.fencepost.broker.wire.message.UpdateFeaturesRequest;
import io.fencepost.broker.wire.message.UpdateFeaturesRequest.FeatureUpdateKey;
import io.fencepost.broker.wire.message.UpdateFeaturesResponse;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Finalised features, and who may change them to what. */
interface FeatureAnswers extends Asked {
  String TRANSACTIONS = "transaction.version";
  int UPGRADE = 1;
  int SAFE_DOWNGRADE = 2;
  int UNSAFE_DOWNGRADE = 3;

  private static FeatureUpdateKey wish(String feature, int level, int upgradeType) {
    FeatureUpdateKey update = new FeatureUpdateKey();
    update.feature = feature;
    update.maxVersionLevel = (short) level;
    update.upgradeType = (byte) upgradeType;
    return update;
  }

  private UpdateFeaturesResponse update(int version, boolean dryRun, FeatureUpdateKey... wishes) {
    UpdateFeaturesRequest request = new UpdateFeaturesRequest();
    request.validateOnly = dryRun;
    request.featureUpdates.addAll(List.of(wishes));
    return talk().ask(ApiKey.UPDATE_FEATURES, version, request, UpdateFeaturesResponse.class);
  }

  private String updated(int version, boolean dryRun, FeatureUpdateKey... wishes) {
    UpdateFeaturesResponse answer = update(version, dryRun, wishes);
    StringBuilder text = new StringBuilder(Talk.name(answer.errorCode));
    answer.results.forEach(
        result ->
            text.append(' ')
                .append(result.feature)
                .append('=')
                .append(Talk.name(result.errorCode))
                .append(result.errorCode == 0 && !"NONE".equals(result.errorMessage) ? "?" : ""));
    return text.toString();
  }

  private ApiVersionsResponse versions() {
    ApiVersionsRequest request = new ApiVersionsRequest();
    request.clientSoftwareName = "test";
    request.clientSoftwareVersion = "1.0";
    return talk().ask(ApiKey.API_VERSIONS, 4, request, ApiVersionsResponse.class);
  }

  private int level() {
    return versions().finalizedFeatures.stream()
        .filter(feature -> feature.name.equals(TRANSACTIONS))
        .mapToInt(feature -> feature.maxVersionLevel)
        .findFirst()
        .orElse(0);
  }

  private void awaitLevel(int wanted) {
    Awaitility.await()
        .pollInterval(10, TimeUnit.MILLISECONDS)
        .untilAsserted(() -> assertThat(level()).isEqualTo(wanted));
  }

  @Test
  default void a_fresh_broker_has_its_features_at_the_levels_of_4_4() {
    Map<String, Integer> levels = new TreeMap<>();
    versions().finalizedFeatures.forEach(f -> levels.put(f.name, (int) f.maxVersionLevel));
    assertThat(levels)
        .containsEntry("metadata.version", 33)
        .containsEntry("eligible.leader.replicas.version", 1)
        .containsEntry(TRANSACTIONS, 2);
    assertThat(versions().supportedFeatures)
        .filteredOn(feature -> feature.name.equals(TRANSACTIONS))
        .singleElement()
        .satisfies(
            feature -> {
              assertThat(feature.minVersion).isZero();
              assertThat(feature.maxVersion).isEqualTo((short) 2);
            });
  }

  @Test
  default void transaction_version_goes_down_and_up_again() {
    long before = versions().finalizedFeaturesEpoch;
    assertThat(updated(1, true, wish(TRANSACTIONS, 1, SAFE_DOWNGRADE)))
        .isEqualTo("NONE transaction.version=NONE");
    assertThat(level()).as("a dry run").isEqualTo(2);
    try {
      assertThat(updated(1, false, wish(TRANSACTIONS, 1, SAFE_DOWNGRADE)))
          .isEqualTo("NONE transaction.version=NONE");
      awaitLevel(1);
      assertThat(versions().finalizedFeaturesEpoch).isGreaterThan(before);
      assertThat(updated(2, false, wish(TRANSACTIONS, 0, UNSAFE_DOWNGRADE))).isEqualTo("NONE");
      awaitLevel(0);
      assertThat(updated(2, false, wish(TRANSACTIONS, 0, SAFE_DOWNGRADE))).isEqualTo("NONE");
      assertThat(updated(2, true, wish(TRANSACTIONS, 2, UPGRADE))).isEqualTo("NONE");
      assertThat(level()).isZero();
    } finally {
      assertThat(updated(2, false, wish(TRANSACTIONS, 2, UPGRADE))).isEqualTo("NONE");
      awaitLevel(2);
    }
  }

  /** Before version 2 the epoch stays through the end of a transaction, and in its marker. */
  @Test
  default void the_level_decides_which_protocol_a_new_client_speaks() {
    try {
      for (int level = 2; level >= 0; level--) {
        if (level < 2) {
          assertThat(updated(2, false, wish(TRANSACTIONS, level, UNSAFE_DOWNGRADE)))
              .isEqualTo("NONE");
          awaitLevel(level);
        }
        Talk.Topic topic = talk().newTopic(1);
        writeInTransaction(topic);
        Awaitility.await()
            .pollInterval(10, TimeUnit.MILLISECONDS)
            .until(() -> talk().log(topic, 0).size() == 2);
        assertThat(talk().log(topic, 0))
            .as("level %d", level)
            .containsExactly("data 0-0 e0", level == 2 ? "commit 1-1 e1" : "commit 1-1 e0");
      }
    } finally {
      assertThat(updated(2, false, wish(TRANSACTIONS, 2, UPGRADE))).isEqualTo("NONE");
      awaitLevel(2);
    }
  }

  private void writeInTransaction(Talk.Topic topic) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrapServers(), "transactional.id", Talk.fresh("x")),
            new StringSerializer(),
            new StringSerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      var unused = producer.send(new ProducerRecord<>(topic.name(), 0, null, "v"));
      producer.commitTransaction();
    }
  }

  @Test
  default void version_0_of_the_request_never_goes_down_whatever_its_flag_says() {
    FeatureUpdateKey down = wish(TRANSACTIONS, 1, UPGRADE);
    assertThat(updated(0, false, down)).startsWith("INVALID_UPDATE_VERSION");
    down.allowDowngrade = true;
    assertThat(updated(0, false, down)).isEqualTo("INVALID_UPDATE_VERSION");
    assertThat(updated(0, false, wish(TRANSACTIONS, 2, UPGRADE)))
        .isEqualTo("NONE transaction.version=NONE");
    assertThat(level()).isEqualTo(2);
  }

  @Test
  default void what_cannot_be_is_refused_and_nothing_is_changed() {
    for (int version = 1; version <= 2; version++) {
      for (FeatureUpdateKey wish :
          new FeatureUpdateKey[] {
            wish(TRANSACTIONS, 1, UPGRADE),
            wish(TRANSACTIONS, 3, UPGRADE),
            wish(TRANSACTIONS, -1, SAFE_DOWNGRADE),
            wish(TRANSACTIONS, 1, 0),
            wish(TRANSACTIONS, 1, 9),
            wish("no.such", 1, UPGRADE),
            wish("no.such", 0, SAFE_DOWNGRADE),
            wish("metadata.version", 99, UPGRADE),
            wish("metadata.version", 32, SAFE_DOWNGRADE),
            wish("metadata.version", 0, SAFE_DOWNGRADE)
          }) {
        UpdateFeaturesResponse answer = update(version, false, wish);
        assertThat(Talk.name(answer.errorCode))
            .as("%s to %d by %d", wish.feature, wish.maxVersionLevel, wish.upgradeType)
            .isEqualTo("INVALID_UPDATE_VERSION");
        assertThat(answer.errorMessage).contains(wish.feature);
        assertThat(answer.results).isEmpty();
      }
      assertThat(
              updated(
                  version,
                  false,
                  wish(TRANSACTIONS, 1, SAFE_DOWNGRADE),
                  wish("no.such", 1, UPGRADE)))
          .isEqualTo("INVALID_UPDATE_VERSION");
    }
    assertThat(level()).isEqualTo(2);
  }
}
