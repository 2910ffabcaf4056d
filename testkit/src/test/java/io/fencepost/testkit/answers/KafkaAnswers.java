package io.fencepost.testkit.answers;

/**
 * All questions, with the answers of Apache Kafka 4.4.0. Each subclass starts a broker; where ours
 * is better on purpose, its subclass overrides the expectation and says why.
 */
abstract class KafkaAnswers extends AbstractAnswers
    implements IdempotenceAnswers,
        ProduceAnswers,
        BatchAnswers,
        TransactionAnswers,
        NewTransactionAnswers,
        MarkerAnswers,
        FeatureAnswers,
        OffsetAnswers,
        FetchAnswers,
        AdminAnswers,
        AdminTransactionAnswers,
        SettingAnswers,
        VersionAnswers,
        HostileAnswers {}
