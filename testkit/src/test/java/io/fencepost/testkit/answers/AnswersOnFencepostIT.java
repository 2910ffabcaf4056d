package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.message.GetTelemetrySubscriptionsRequest;
import io.fencepost.broker.wire.message.GetTelemetrySubscriptionsResponse;
import io.fencepost.testkit.brokers.TestBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link KafkaAnswers} from Fencepost, but for what is better on purpose. */
class AnswersOnFencepostIT extends KafkaAnswers {
  @RegisterExtension static final TestBroker BROKER = TestBroker.fencepost(settings());

  @Override
  public String bootstrapServers() {
    return BROKER.bootstrapServers();
  }

  /** An identity without epoch protects nobody; Kafka takes it without a word. */
  @Override
  public String answerToAProducerIdWithoutEpoch() {
    return "INVALID_RECORD";
  }

  /** The same nonsense as an epoch of -1. */
  @Override
  public String answerToANegativeEpoch() {
    return "INVALID_RECORD";
  }

  /** A wrong batch, not a broken server. */
  @Override
  public String answerToAnUnknownCodec() {
    return "INVALID_RECORD";
  }

  /** A wrong batch, not a broken server. */
  @Override
  public String answerToWhatDoesNotUnpack() {
    return "INVALID_RECORD";
  }

  /** Readers would see it outside of its batch. */
  @Override
  public String answerToAWrongOffsetDelta() {
    return "INVALID_RECORD";
  }

  /** Batches are stored as they came; Kafka would quietly rewrite the claim. */
  @Override
  public String answerToAClaimedAppendTime() {
    return "INVALID_TIMESTAMP";
  }

  /**
   * The records keep their own times, as the first answer said; Kafka's answer makes a client take
   * the greatest time of the batch for that of each record.
   */
  @Override
  public boolean isTimeOfADuplicateTold() {
    return false;
  }

  /** So the first try already finds the new offset. */
  @Override
  public boolean areMarkersWrittenAfterTheAnswer() {
    return false;
  }

  /** Only transactions that run for so long are wanted, and this id has none. */
  @Override
  public String listedOfAnIdleIdByDuration() {
    return "[]";
  }

  /** A wrong request, not a broken server. */
  @Override
  public String answerToUnknownOperation() {
    return "INVALID_REQUEST";
  }

  /** Never: which partition serves a key depends on their number. */
  @Override
  public String answerToGrowingCoordinatorsTopics() {
    return "INVALID_REQUEST";
  }

  /** Kafka serves no telemetry without a plugin for it. */
  @Test
  void clients_ask_about_telemetry_again_after_a_time_that_fits_in_int_microseconds() {
    GetTelemetrySubscriptionsResponse answer =
        talk()
            .ask(
                ApiKey.GET_TELEMETRY_SUBSCRIPTIONS,
                0,
                new GetTelemetrySubscriptionsRequest(),
                GetTelemetrySubscriptionsResponse.class);
    assertThat(Talk.name(answer.errorCode)).isEqualTo("NONE");
    assertThat(answer.requestedMetrics).isEmpty();
    assertThat(answer.pushIntervalMs).isBetween(60_000, Integer.MAX_VALUE / 1_000);
  }
}
