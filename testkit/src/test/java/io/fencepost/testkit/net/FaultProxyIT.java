package io.fencepost.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.RequestHeader;
import io.fencepost.broker.wire.ResponseHeader;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.ListOffsetsRequest;
import io.fencepost.broker.wire.message.ListOffsetsResponse;
import io.fencepost.broker.wire.message.MetadataRequest;
import io.fencepost.broker.wire.message.MetadataResponse;
import io.fencepost.broker.wire.message.SaslHandshakeRequest;
import io.fencepost.broker.wire.message.SaslHandshakeResponse;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.fault.Faults;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The proxy between a raw client and a broker of two APIs that counts what it was asked. */
class FaultProxyIT {
  private static final short VERSION = 5;

  private final ServerSocket broker = listen();
  private final AtomicInteger handled = new AtomicInteger();

  @AfterEach
  void stop() throws IOException {
    broker.close();
  }

  @Test
  void a_lost_answer_belongs_to_a_request_that_was_done() {
    try (FaultProxy proxy = proxy("ListOffsets#2:answer-lost")) {
      try (RawClient client = client(proxy)) {
        assertThat(listOffsets(client).throttleTimeMs).isEqualTo(1);
        assertThatThrownBy(() -> listOffsets(client))
            .isInstanceOf(UncheckedIOException.class)
            .hasMessageContaining("got no answer");
      }
      assertThat(handled).hasValue(2);
      assertThat(proxy.faults().fired()).hasSize(1);
    }
  }

  @Test
  void a_lost_request_was_not_done() {
    try (FaultProxy proxy = proxy("ListOffsets#2:request-lost")) {
      try (RawClient client = client(proxy)) {
        assertThat(listOffsets(client).throttleTimeMs).isEqualTo(1);
        assertThatThrownBy(() -> listOffsets(client)).hasMessageContaining("got no answer");
      }
      assertThat(handled).hasValue(1);
    }
  }

  @Test
  void a_duplicated_request_is_done_twice_and_answered_once() {
    try (FaultProxy proxy = proxy("ListOffsets:duplicated");
        RawClient client = client(proxy)) {
      assertThat(listOffsets(client).throttleTimeMs).isEqualTo(1);
      assertThat(listOffsets(client).throttleTimeMs).isEqualTo(3);
    }
  }

  @Test
  void a_delayed_answer_comes_late_and_holds_back_those_behind_it() throws IOException {
    try (FaultProxy proxy = proxy("ListOffsets:delayed=300ms");
        Pipeline client = new Pipeline(proxy)) {
      long begun = System.nanoTime();
      client.ask(1, ApiKey.LIST_OFFSETS);
      client.ask(2, ApiKey.LIST_OFFSETS);
      assertThat(client.next()).isEqualTo(1);
      assertThat(System.nanoTime() - begun).isGreaterThan(300_000_000L);
      assertThat(client.next()).isEqualTo(2);
    }
  }

  @Test
  void an_answer_of_the_proxy_keeps_its_place_among_those_of_the_broker() throws IOException {
    try (FaultProxy proxy =
            proxy("ListOffsets#1:delayed=200ms; ListOffsets%3:answered=NOT_LEADER_OR_FOLLOWER");
        Pipeline client = new Pipeline(proxy)) {
      for (int i = 1; i <= 7; i++) {
        client.ask(i, ApiKey.LIST_OFFSETS);
      }
      for (int i = 1; i <= 7; i++) {
        assertThat(client.next()).isEqualTo(i);
      }
      assertThat(handled).hasValue(5);
    }
  }

  @Test
  void what_stands_before_a_lost_request_is_answered_and_what_stands_behind_it_is_not_read()
      throws IOException {
    try (FaultProxy proxy = proxy("ListOffsets#3:request-lost");
        Pipeline client = new Pipeline(proxy)) {
      for (int i = 1; i <= 5; i++) {
        client.ask(i, ApiKey.LIST_OFFSETS);
      }
      assertThat(client.next()).isEqualTo(1);
      assertThat(client.next()).isEqualTo(2);
      assertThatThrownBy(client::next).isInstanceOf(IOException.class);
      assertThat(handled).hasValue(2);
      assertThat(proxy.faults().passed()).containsEntry(FaultPoints.of(ApiKey.LIST_OFFSETS), 3L);
    }
  }

  @Test
  void an_error_that_the_answer_has_no_place_for_is_not_said_and_not_fired() {
    try (FaultProxy proxy = proxy("ListOffsets:answered=NOT_LEADER_OR_FOLLOWER");
        RawClient client = client(proxy)) {
      assertThat(listOffsets(client).throttleTimeMs).as("about no partition").isEqualTo(1);
      assertThat(proxy.faults().fired()).isEmpty();
      assertThat(proxy.faults().unfired()).hasSize(1);
    }
  }

  @Test
  void a_healed_proxy_passes_everything() {
    try (FaultProxy proxy = proxy("ListOffsets%1:answer-lost")) {
      proxy.heal();
      try (RawClient client = client(proxy)) {
        assertThat(listOffsets(client).throttleTimeMs).isEqualTo(1);
        assertThat(listOffsets(client).throttleTimeMs).isEqualTo(2);
      }
      assertThat(proxy.faults().fired()).isEmpty();
      assertThat(proxy.answerCount()).isEqualTo(2);
    }
  }

  @Test
  void the_broker_that_metadata_names_is_behind_the_proxy_too() {
    try (FaultProxy proxy = proxy("");
        RawClient client = client(proxy)) {
      MetadataResponse metadata =
          client.call(ApiKey.METADATA, VERSION, new MetadataRequest(), MetadataResponse.class);
      MetadataResponse.MetadataResponseBroker named = metadata.brokers.get(0);
      assertThat(named.port).isNotEqualTo(broker.getLocalPort());
      try (RawClient second = RawClient.connect(new Endpoint(named.host, named.port))) {
        assertThat(listOffsets(second)).isNotNull();
      }
    }
  }

  @Test
  void acts_are_done_before_their_request_goes_on() {
    List<String> done = new ArrayList<>();
    Faults faults = Faults.of(FaultPlan.parse("restart broker 1@ListOffsets#2"), new SystemClock());
    try (FaultProxy proxy =
            FaultProxy.start(upstream(), 0, faults, act -> done.add(act.action() + " " + handled));
        RawClient client = client(proxy)) {
      listOffsets(client);
      listOffsets(client);
      assertThat(done).containsExactly("restart broker 1 1");
      assertThat(handled).hasValue(2);
    }
  }

  @Test
  void a_plan_with_acts_needs_somebody_who_does_them() {
    assertThatThrownBy(() -> proxy("restart broker@EndTxn"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'restart broker@EndTxn#1': a proxy alone has no brokers, jobs or disks to do that to");
  }

  @Test
  void who_asks_for_sasl_is_told_why_it_does_not_get_it() {
    try (FaultProxy proxy = proxy("");
        RawClient client = client(proxy)) {
      SaslHandshakeRequest request = new SaslHandshakeRequest();
      request.mechanism = "PLAIN";
      SaslHandshakeResponse answer =
          client.call(ApiKey.SASL_HANDSHAKE, 1, request, SaslHandshakeResponse.class);
      assertThat(answer.errorCode).isEqualTo(WireError.UNSUPPORTED_SASL_MECHANISM.code());
      assertThat(answer.mechanisms.get(0)).contains("security.protocol=PLAINTEXT");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "160301020001",
        "15030300020246",
        "ffffffff00",
        "7fffffff00",
        "00000000",
        "0000000400120003",
        "474554202f20485454502f312e310d0a0d0a"
      })
  void garbage_ends_its_own_connection_and_no_other(String hex) throws IOException {
    try (FaultProxy proxy = proxy("");
        RawClient other = client(proxy);
        Socket garbage = connect(proxy)) {
      listOffsets(other);
      garbage.getOutputStream().write(HexFormat.of().parseHex(hex));
      assertThat(garbage.getInputStream().read()).isEqualTo(-1);
      assertThat(listOffsets(other).throttleTimeMs).isEqualTo(2);
    }
  }

  @Test
  void a_request_that_nobody_knows_passes() throws IOException {
    try (FaultProxy proxy = proxy("ListOffsets#1:answer-lost");
        Pipeline client = new Pipeline(proxy)) {
      client.ask(7, 999);
      assertThat(client.next()).isEqualTo(7);
      assertThat(handled).hasValue(1);
    }
  }

  @Test
  void a_cluster_is_found_by_any_of_its_addresses() throws IOException {
    try (FaultProxy proxy =
            FaultProxy.start("127.0.0.1:" + unusedPort() + ", " + upstream(), FaultPlan.NONE);
        RawClient client = client(proxy)) {
      assertThat(listOffsets(client).throttleTimeMs).isEqualTo(1);
    }
  }

  @Test
  void hundreds_of_clients_are_served_while_some_wait() throws IOException {
    try (FaultProxy proxy = proxy("ListOffsets%10:delayed=1s")) {
      List<Pipeline> clients = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        Pipeline client = new Pipeline(proxy);
        client.ask(i, ApiKey.LIST_OFFSETS);
        clients.add(client);
      }
      for (int i = 0; i < 300; i++) {
        assertThat(clients.get(i).next()).isEqualTo(i);
        clients.get(i).close();
      }
      assertThat(proxy.faults().fired()).hasSize(30);
      assertThat(handled).hasValue(300);
    }
  }

  @Test
  void a_broker_that_is_away_looks_like_one_that_hangs_up() throws IOException {
    broker.close();
    try (FaultProxy proxy = proxy("");
        Socket client = connect(proxy)) {
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }

  private static int unusedPort() throws IOException {
    try (ServerSocket nobody = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      return nobody.getLocalPort();
    }
  }

  private String upstream() {
    return "127.0.0.1:" + broker.getLocalPort();
  }

  private FaultProxy proxy(String plan) {
    return FaultProxy.start(upstream(), FaultPlan.parse(plan));
  }

  private static RawClient client(FaultProxy proxy) {
    return RawClient.connect(Endpoint.parse(proxy.bootstrapServers()));
  }

  private static Socket connect(FaultProxy proxy) throws IOException {
    Endpoint address = Endpoint.parse(proxy.bootstrapServers());
    Socket socket = new Socket(address.host(), address.port());
    socket.setSoTimeout(10_000);
    return socket;
  }

  private static ListOffsetsRequest onePartition() {
    ListOffsetsRequest.ListOffsetsTopic topic = new ListOffsetsRequest.ListOffsetsTopic();
    topic.name = "payments";
    topic.partitions.add(new ListOffsetsRequest.ListOffsetsPartition());
    ListOffsetsRequest request = new ListOffsetsRequest();
    request.topics.add(topic);
    return request;
  }

  /** Asks without waiting for answers. */
  private static final class Pipeline implements AutoCloseable {
    private final Socket socket;

    Pipeline(FaultProxy proxy) throws IOException {
      socket = connect(proxy);
    }

    void ask(int correlationId, ApiKey api) throws IOException {
      WireWriter out = new WireWriter();
      new RequestHeader(api.id(), VERSION, correlationId, "pipeline").write(out);
      onePartition().write(out, VERSION);
      Frames.write(socket.getOutputStream(), out.toBuffer());
    }

    void ask(int correlationId, int api) throws IOException {
      WireWriter out = new WireWriter();
      new RequestHeader(api, 0, correlationId, "pipeline").write(out);
      Frames.write(socket.getOutputStream(), out.toBuffer());
    }

    /** The number of the next answer. */
    int next() throws IOException {
      return Frames.read(socket.getInputStream()).getInt(0);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static ListOffsetsResponse listOffsets(RawClient client) {
    return client.call(
        ApiKey.LIST_OFFSETS, VERSION, new ListOffsetsRequest(), ListOffsetsResponse.class);
  }

  private ServerSocket listen() {
    try {
      ServerSocket listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
      inBackground(
          () -> {
            while (true) {
              Socket connection = listener.accept();
              inBackground(() -> serve(connection));
            }
          });
      return listener;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void serve(Socket connection) throws IOException {
    DataInputStream in = new DataInputStream(connection.getInputStream());
    DataOutputStream out = new DataOutputStream(connection.getOutputStream());
    while (true) {
      byte[] frame = new byte[in.readInt()];
      in.readFully(frame);
      RequestHeader header = RequestHeader.read(new WireReader(ByteBuffer.wrap(frame)));
      WireWriter answer = new WireWriter();
      new ResponseHeader(header.correlationId()).write(answer, 0);
      if (header.apiId() == ApiKey.METADATA.id()) {
        metadata().write(answer, VERSION);
      } else {
        ListOffsetsResponse offsets = new ListOffsetsResponse();
        offsets.throttleTimeMs = handled.incrementAndGet();
        offsets.write(answer, VERSION);
      }
      ByteBuffer bytes = answer.toBuffer();
      out.writeInt(bytes.remaining());
      out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }
  }

  private MetadataResponse metadata() {
    MetadataResponse.MetadataResponseBroker self = new MetadataResponse.MetadataResponseBroker();
    self.host = "127.0.0.1";
    self.port = broker.getLocalPort();
    MetadataResponse metadata = new MetadataResponse();
    metadata.brokers.add(self);
    return metadata;
  }

  private interface Loop {
    void run() throws IOException;
  }

  /** Ends when a socket does. */
  private static void inBackground(Loop loop) {
    Thread thread =
        new Thread(
            () -> {
              try {
                loop.run();
              } catch (IOException e) {
                Thread.currentThread().interrupt();
              }
            },
            "fake-broker");
    thread.setDaemon(true);
    thread.start();
  }
}
