package io.fencepost.testkit.fault.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FetchResponse;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every request can be refused, in a way that Kafka's own client reads as that error. */
class ErrorAnswersTest {
  @ParameterizedTest
  @EnumSource(ApiKey.class)
  void kafkas_client_reads_the_error_in_every_version(ApiKey api) {
    for (int version = api.lowestVersion(); version <= api.highestVersion(); version++) {
      WireMessage request = FilledRequests.of(api, version);
      WireMessage answer =
          ErrorAnswers.answer(api, version, request, WireError.COORDINATOR_NOT_AVAILABLE);
      assertThat(answer).as("%s version %d to %s", api, version, request).isNotNull();
      WireWriter out = new WireWriter();
      Objects.requireNonNull(answer).write(out, version);
      AbstractResponse read =
          AbstractResponse.parseResponse(
              ApiKeys.forId(api.id()), new ByteBufferAccessor(out.toBuffer()), (short) version);
      assertThat(read.errorCounts())
          .as("%s version %d: %s", api, version, answer)
          .containsKey(Errors.COORDINATOR_NOT_AVAILABLE);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = ApiKey.class,
      names = {
        "PRODUCE",
        "FETCH",
        "LIST_OFFSETS",
        "OFFSET_COMMIT",
        "OFFSET_FETCH",
        "TXN_OFFSET_COMMIT",
        "ADD_PARTITIONS_TO_TXN",
        "WRITE_TXN_MARKERS",
        "OFFSET_FOR_LEADER_EPOCH",
        "DELETE_RECORDS",
        "DESCRIBE_PRODUCERS",
        "OFFSET_DELETE",
        "SHARE_FETCH",
        "SHARE_ACKNOWLEDGE"
      })
  void each_partition_that_was_asked_for_has_its_answer(ApiKey api) {
    for (int version = api.lowestVersion(); version <= api.highestVersion(); version++) {
      WireMessage request = FilledRequests.of(api, version);
      WireMessage answer =
          ErrorAnswers.answer(api, version, request, WireError.NOT_LEADER_OR_FOLLOWER);
      assertThat(partitions(Objects.requireNonNull(answer)))
          .as("%s version %d", api, version)
          .isNotEmpty()
          .isEqualTo(partitions(request));
    }
  }

  @Test
  void a_fetch_blames_its_partitions_unless_it_is_the_session() {
    FetchRequest request = (FetchRequest) FilledRequests.of(ApiKey.FETCH, 12);
    FetchResponse ofPartitions =
        (FetchResponse)
            Objects.requireNonNull(
                ErrorAnswers.answer(ApiKey.FETCH, 12, request, WireError.NOT_LEADER_OR_FOLLOWER));
    assertThat(ofPartitions.errorCode).isZero();
    assertThat(ofPartitions.sessionId).isEqualTo(request.sessionId);
    assertThat(ofPartitions.responses.get(0).partitions.get(0).highWatermark).isEqualTo(-1);
    FetchResponse ofSession =
        (FetchResponse)
            Objects.requireNonNull(
                ErrorAnswers.answer(
                    ApiKey.FETCH, 12, request, WireError.FETCH_SESSION_ID_NOT_FOUND));
    assertThat(ofSession.errorCode).isEqualTo(WireError.FETCH_SESSION_ID_NOT_FOUND.code());
  }

  private static List<TopicPartition> partitions(WireMessage message) {
    return RequestFacts.of(message, null, ErrorAnswersTest::name).partitions().stream()
        .sorted()
        .toList();
  }

  private static String name(Uuid id) {
    return id.equals(Uuid.ZERO) ? "none" : "by-id";
  }
}
