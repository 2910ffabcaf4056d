package io.fencepost.testkit.answers;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All questions, with the answers of Apache Kafka 4.4.0. Each subclass starts a broker; where ours
 * is better on purpose, its subclass overrides the expectation and says why.
 */
abstract class KafkaAnswers extends AbstractAnswers
    implements IdempotenceAnswers,
        ProduceAnswers,
        BatchAnswers,
        CompressedAnswers,
        TransactionAnswers,
        NewTransactionAnswers,
        MarkerAnswers,
        FeatureAnswers,
        OffsetAnswers,
        ExpiryAnswers,
        FetchAnswers,
        AdminAnswers,
        AdminTransactionAnswers,
        SettingAnswers,
        VersionAnswers,
        HostileAnswers {

  /** Offsets whose time is over go soon. */
  static SortedMap<String, String> settings() {
    SortedMap<String, String> settings = new TreeMap<>();
    settings.put("offsets.retention.check.interval.ms", "100");
    return settings;
  }
}
