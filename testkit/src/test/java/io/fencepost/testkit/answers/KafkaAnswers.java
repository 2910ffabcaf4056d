package io.fencepost.testkit.answers;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/**
 * All questions, with the answers of Apache Kafka 4.4.0. Each subclass starts a broker; where ours
 * is better on purpose, its subclass overrides the expectation and says why.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class KafkaAnswers
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
        HostileAnswers {
  private @Nullable Talk talk;
  private boolean isAwake;

  @Override
  public abstract String bootstrapServers();

  @BeforeEach
  void open() {
    talk = connect();
    if (!isAwake) {
      txn().wakeCoordinators();
      isAwake = true;
    }
  }

  @AfterEach
  void close() {
    talk().close();
  }

  @Override
  public Talk talk() {
    return Objects.requireNonNull(talk);
  }

  @Override
  public TxnTalk txn() {
    return new TxnTalk(talk());
  }

  @Override
  public Talk connect() {
    return Talk.with(bootstrapServers());
  }
}
