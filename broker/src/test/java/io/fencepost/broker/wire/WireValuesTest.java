package io.fencepost.broker.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;

class WireValuesTest {

  @Test
  void every_error_of_kafka_has_our_code_name_and_retriable_flag() {
    assertThat(WireError.values()).hasSameSizeAs(Errors.values());
    for (Errors theirs : Errors.values()) {
      WireError ours = WireError.of(theirs.code());
      assertThat(ours.name()).isEqualTo(theirs.name());
      assertThat(ours.code()).isEqualTo(theirs.code());
      assertThat(ours.isRetriable())
          .as(theirs.name())
          .isEqualTo(theirs.exception() instanceof RetriableException);
      assertThat(ours.sentence()).endsWith(".").isNotEqualTo(theirs.message());
    }
    assertThat(WireError.of((short) 9999)).isEqualTo(WireError.UNKNOWN_SERVER_ERROR);
  }

  @Test
  void an_id_shows_and_parses_as_kafkas_does() {
    Random random = new Random(Messages.seed());
    for (int i = 0; i < 100; i++) {
      Uuid ours = new Uuid(random.nextLong(), random.nextLong());
      String text = new org.apache.kafka.common.Uuid(ours.high(), ours.low()).toString();
      assertThat(ours).hasToString(text);
      assertThat(Uuid.parse(text)).isEqualTo(ours);
    }
    assertThat(Uuid.ZERO).hasToString(org.apache.kafka.common.Uuid.ZERO_UUID.toString());
    assertThatThrownBy(() -> Uuid.parse("abc")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Uuid.parse("no/base64")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void request_headers_are_kafkas_bytes_in_both_versions() {
    for (short apiVersion : new short[] {3, 9}) {
      for (String clientId : Arrays.asList("client", null)) {
        RequestHeaderData theirs =
            new RequestHeaderData()
                .setRequestApiKey((short) ApiKey.PRODUCE.id())
                .setRequestApiVersion(apiVersion)
                .setCorrelationId(77)
                .setClientId(clientId);
        short headerVersion = (short) ApiKey.PRODUCE.requestHeaderVersion(apiVersion);
        ByteBuffer bytes = MessageUtil.toByteBufferAccessor(theirs, headerVersion).buffer();
        RequestHeader ours = new RequestHeader(0, apiVersion, 77, clientId);
        WireWriter out = new WireWriter();
        ours.write(out);
        assertThat(out.toBuffer()).isEqualTo(bytes);
        WireReader in = new WireReader(bytes);
        assertThat(RequestHeader.read(in)).isEqualTo(ours);
        assertThat(in.remaining()).isZero();
      }
    }
  }

  @Test
  void the_header_of_an_api_from_the_future_can_still_be_read() {
    WireWriter out = new WireWriter();
    new RequestHeader(3000, 1, 5, "x").write(out);
    RequestHeader header = RequestHeader.read(new WireReader(out.toBuffer()));
    assertThat(header.apiKey()).isNull();
    assertThat(header.correlationId()).isEqualTo(5);
  }

  @Test
  void partitions_are_in_the_order_of_topic_then_number() {
    assertThat(new TopicPartition("a", 10)).isGreaterThan(new TopicPartition("a", 9));
    assertThat(new TopicPartition("b", 0)).isGreaterThan(new TopicPartition("a", 9));
    assertThat(new TopicPartition("a", 1)).hasToString("a-1");
  }
}
