package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.RequestHeader;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.ApiVersionsResponse;
import io.fencepost.broker.wire.message.MetadataResponse;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.testkit.net.Endpoint;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Peers that break the rules. */
interface HostileAnswers extends Asked {
  /** Where the broker listens. */
  @Override
  String bootstrapServers();

  @Test
  default void impossible_lengths_end_the_connection() throws IOException {
    for (int length : new int[] {-1, Integer.MIN_VALUE, 104_857_601, Integer.MAX_VALUE}) {
      try (Socket socket = open()) {
        socket.getOutputStream().write(ByteBuffer.allocate(4).putInt(length).array());
        assertThat(isClosed(socket)).as("length %d", length).isTrue();
      }
    }
  }

  @Test
  default void unknown_apis_versions_and_bodies_end_the_connection() throws IOException {
    assertThat(isClosedBy(frame(9_999, 0, new byte[0]))).isTrue();
    assertThat(isClosedBy(frame(ApiKey.METADATA.id(), 99, new byte[0]))).isTrue();
    assertThat(isClosedBy(frame(ApiKey.PRODUCE.id(), 2, new byte[20]))).isTrue();
    assertThat(isClosedBy(frame(ApiKey.INIT_PRODUCER_ID.id(), 6, new byte[20]))).isTrue();
    assertThat(isClosedBy(frame(ApiKey.METADATA.id(), 1, new byte[] {0x7f, 1, 1, 1}))).isTrue();
    assertThat(isClosedBy(new byte[] {0, 0, 0, 1, 7})).isTrue();
  }

  @Test
  default void the_end_of_acks_0_with_an_error_is_the_end_of_the_connection() throws IOException {
    Talk.Topic topic = talk().newTopic(1);
    assertThat(isClosedBy(acks0(new Talk.Topic(Talk.fresh("unknown"), topic.id())))).isTrue();
  }

  private byte[] acks0(Talk.Topic topic) {
    ProduceRequest request =
        Talk.produceRequest(9, Producer.NOBODY, topic, 0, Producer.fill(BatchWriter.at(0), 1));
    request.acks = 0;
    WireWriter body = new WireWriter();
    new RequestHeader(ApiKey.PRODUCE.id(), 9, 5, "hostile").write(body);
    request.write(body, 9);
    return framed(body.toBuffer());
  }

  @Test
  default void acks_0_is_not_answered_and_the_connection_goes_on() throws IOException {
    Talk.Topic topic = talk().newTopic(1);
    try (Socket socket = open()) {
      socket.getOutputStream().write(acks0(topic));
      socket.getOutputStream().write(frame(ApiKey.API_VERSIONS.id(), 0, new byte[0]));
      assertThat(new DataInputStream(socket.getInputStream()).readInt()).isPositive();
    }
    Awaitility.await().until(() -> talk().end(topic, 0) == 1);
  }

  @Test
  default void an_unknown_version_of_api_versions_is_told_the_range_in_version_0()
      throws IOException {
    try (Socket socket = open()) {
      for (int i = 0; i < 2; i++) {
        socket.getOutputStream().write(frame(ApiKey.API_VERSIONS.id(), 77, new byte[] {0}));
        ByteBuffer answer = receive(socket);
        assertThat(answer.getInt()).isEqualTo(5);
        ApiVersionsResponse response = ApiVersionsResponse.read(new WireReader(answer), 0);
        assertThat(Talk.name(response.errorCode)).isEqualTo("UNSUPPORTED_VERSION");
        assertThat(response.apiKeys).hasSize(1);
        assertThat(response.apiKeys.get(0).apiKey).isEqualTo((short) ApiKey.API_VERSIONS.id());
        assertThat(response.apiKeys.get(0).minVersion).isZero();
        assertThat(response.apiKeys.get(0).maxVersion)
            .isEqualTo((short) ApiKey.API_VERSIONS.highestVersion());
      }
    }
  }

  @Test
  default void bytes_behind_a_request_are_passed_over() throws IOException {
    byte[] noTopicsAndThreeMore = {0, 0, 0, 0, 7, 7, 7};
    try (Socket socket = open()) {
      for (int i = 0; i < 2; i++) {
        socket.getOutputStream().write(frame(ApiKey.METADATA.id(), 1, noTopicsAndThreeMore));
        ByteBuffer answer = receive(socket);
        assertThat(answer.getInt()).isEqualTo(5);
        assertThat(MetadataResponse.read(new WireReader(answer), 1).brokers).hasSize(1);
      }
    }
  }

  private Socket open() throws IOException {
    Endpoint broker = Endpoint.parse(bootstrapServers());
    Socket socket = new Socket(broker.host(), broker.port());
    socket.setSoTimeout(5_000);
    return socket;
  }

  private boolean isClosedBy(byte[] bytes) throws IOException {
    try (Socket socket = open()) {
      socket.getOutputStream().write(bytes);
      return isClosed(socket);
    }
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (EOFException | SocketException reset) {
      return true;
    }
  }

  private static ByteBuffer receive(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] answer = new byte[in.readInt()];
    in.readFully(answer);
    return ByteBuffer.wrap(answer);
  }

  private static byte[] frame(int api, int version, byte[] body) {
    ByteBuffer out = ByteBuffer.allocate(10 + body.length);
    out.putShort((short) api).putShort((short) version).putInt(5).putShort((short) -1).put(body);
    return framed(out.flip());
  }

  private static byte[] framed(ByteBuffer content) {
    ByteBuffer out = ByteBuffer.allocate(4 + content.remaining());
    return out.putInt(content.remaining()).put(content).array();
  }
}
