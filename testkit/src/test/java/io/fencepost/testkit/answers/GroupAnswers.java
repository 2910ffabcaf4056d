package io.fencepost.testkit.answers;

import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** All questions about groups, with the answers of Apache Kafka 4.4.0. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class GroupAnswers implements ConsumerGroupAnswers, ClassicGroupAnswers {
  private @Nullable Talk talk;
  private boolean isAwake;

  /** Targets are made at once, so that each answer is certain. */
  static SortedMap<String, String> settings() {
    SortedMap<String, String> settings = new TreeMap<>();
    settings.put("group.consumer.assignment.interval.ms", "0");
    return settings;
  }

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
