package io.fencepost.testkit.answers;

import java.time.Duration;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** A connection for each question. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AbstractAnswers implements Asked {
  static {
    Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
  }

  private @Nullable Talk talk;
  private boolean isAwake;

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
