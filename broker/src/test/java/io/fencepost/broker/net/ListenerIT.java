package io.fencepost.broker.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.main.BrokerServer;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.RequestHeader;
import io.fencepost.broker.wire.ResponseHeader;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.ApiVersionsRequest;
import io.fencepost.broker.wire.message.ApiVersionsResponse;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers that behave badly, on real sockets. */
class ListenerIT {
  private static final long SEED = 20261129;
  private static final int CAP_BYTES = 4_000_000;

  @TempDir Path directory;
  private BrokerServer broker;

  @BeforeEach
  void start_a_broker() {
    Map<String, String> settings = new TreeMap<>();
    settings.put("log.dirs", directory.toString());
    settings.put("listeners", "PLAINTEXT://localhost:0");
    settings.put("request.timeout.ms", "1500");
    settings.put("connections.max.idle.ms", "60000");
    settings.put("queued.max.request.bytes", Integer.toString(CAP_BYTES));
    broker = BrokerServer.start(BrokerConfig.of(settings), List.of());
  }

  @AfterEach
  void stop_the_broker() {
    broker.close();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket("localhost", broker.port());
    socket.setSoTimeout(10_000);
    return socket;
  }

  private static byte[] apiVersions(int version, int correlationId) {
    WireWriter out = new WireWriter();
    new RequestHeader(ApiKey.API_VERSIONS.id(), version, correlationId, "test").write(out);
    if (version <= ApiKey.API_VERSIONS.highestVersion()) {
      ApiVersionsRequest request = new ApiVersionsRequest();
      request.clientSoftwareName = "test";
      request.clientSoftwareVersion = "1";
      request.write(out, version);
    }
    ByteBuffer body = out.toBuffer();
    ByteBuffer frame = ByteBuffer.allocate(4 + body.remaining()).putInt(body.remaining()).put(body);
    return frame.array();
  }

  private static ByteBuffer readFrame(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] frame = new byte[in.readInt()];
    in.readFully(frame);
    return ByteBuffer.wrap(frame);
  }

  private void assert_still_serves() throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(apiVersions(3, 7));
      WireReader in = new WireReader(readFrame(socket));
      assertThat(ResponseHeader.read(in, 0).correlationId()).isEqualTo(7);
      assertThat(ApiVersionsResponse.read(in, 3).apiKeys).isNotEmpty();
    }
  }

  private static boolean isClosed(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (IOException reset) {
      return !(reset instanceof java.net.SocketTimeoutException);
    }
  }

  @Test
  void pipelined_requests_are_answered_in_order() throws IOException {
    try (Socket socket = connect()) {
      for (int i = 0; i < 200; i++) {
        socket.getOutputStream().write(apiVersions(3, i));
      }
      for (int i = 0; i < 200; i++) {
        assertThat(readFrame(socket).getInt()).isEqualTo(i);
      }
    }
  }

  @Test
  void a_future_version_of_api_versions_is_told_the_range_and_may_go_on() throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(apiVersions(99, 1));
      WireReader in = new WireReader(readFrame(socket));
      assertThat(ResponseHeader.read(in, 0).correlationId()).isEqualTo(1);
      ApiVersionsResponse refusal = ApiVersionsResponse.read(in, 0);
      assertThat(refusal.errorCode).isEqualTo(WireError.UNSUPPORTED_VERSION.code());
      assertThat(refusal.apiKeys).hasSize(1);
      assertThat((int) refusal.apiKeys.get(0).apiKey).isEqualTo(ApiKey.API_VERSIONS.id());
      socket.getOutputStream().write(apiVersions(3, 2));
      assertThat(readFrame(socket).getInt()).isEqualTo(2);
    }
  }

  @Test
  void impossible_lengths_end_the_connection() throws IOException {
    for (int length : new int[] {-1, Integer.MIN_VALUE, 104_857_601, Integer.MAX_VALUE}) {
      try (Socket socket = connect()) {
        socket.getOutputStream().write(ByteBuffer.allocate(4).putInt(length).array());
        assertThat(isClosed(socket)).as("length %s", length).isTrue();
      }
    }
    assert_still_serves();
  }

  @Test
  void garbage_ends_its_own_connection_only() throws IOException {
    SimEntropy random = new SimEntropy(SEED);
    for (int i = 0; i < 300; i++) {
      try (Socket socket = connect()) {
        byte[] body = new byte[4 + random.nextInt(200)];
        for (int j = 4; j < body.length; j++) {
          body[j] = (byte) random.nextLong();
        }
        ByteBuffer frame = ByteBuffer.wrap(body);
        frame.putInt(0, body.length - 4);
        if (body.length >= 8 && random.oneOf(700)) {
          frame.putShort(4, (short) random.nextInt(90));
          frame.putShort(6, (short) random.nextInt(14));
        }
        socket.getOutputStream().write(body);
        socket.shutdownOutput();
        while (socket.getInputStream().read() >= 0) {
          // Whatever the answer is: the connection has to end.
        }
      } catch (java.net.SocketTimeoutException hangs) {
        throw new AssertionError("seed " + SEED + ", try " + i + ": no end", hangs);
      } catch (IOException reset) {
        // An end as well.
      }
    }
    assert_still_serves();
  }

  @Test
  void a_hundred_announcers_of_large_frames_hold_no_memory_and_are_cut() throws IOException {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        Socket socket = connect();
        sockets.add(socket);
        socket.getOutputStream().write(ByteBuffer.allocate(4).putInt(CAP_BYTES).array());
      }
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> broker.listener().connectionCount() == 100);
      assertThat(broker.listener().heldBytes()).isZero();
      assert_still_serves();
      await().atMost(Duration.ofSeconds(10)).until(() -> broker.listener().connectionCount() == 0);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test
  void a_reader_that_takes_nothing_delays_nobody() throws IOException {
    try (Socket slow = connect()) {
      byte[] request = apiVersions(3, 1);
      slow.setSoTimeout(1);
      Thread writer =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < 20_000; i++) {
                    slow.getOutputStream().write(request);
                  }
                } catch (IOException cut) {
                  // The test closes the socket.
                }
              });
      writer.setDaemon(true);
      writer.start();
      for (int i = 0; i < 20; i++) {
        assert_still_serves();
      }
    }
  }

  @Test
  void stopping_ends_idle_connections_within_the_time() throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(apiVersions(3, 1));
      readFrame(socket);
      long start = System.nanoTime();
      broker.stop(2_000);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
      assertThat(isClosed(socket)).isTrue();
    }
  }

  private static byte[] framed(byte[] content) {
    return ByteBuffer.allocate(4 + content.length).putInt(content.length).put(content).array();
  }

  private static byte[] request(ApiKey api, int version, byte[] body) {
    WireWriter header = new WireWriter();
    new RequestHeader(api.id(), version, 1, null).write(header);
    ByteBuffer head = header.toBuffer();
    return framed(ByteBuffer.allocate(head.remaining() + body.length).put(head).put(body).array());
  }

  /** Each element is two bytes on the wire and a hundred in memory. */
  private static byte[] metadataOfManyEmptyNames(int count) {
    WireWriter out = new WireWriter();
    out.writeArrayLength(count, true);
    ByteBuffer length = out.toBuffer();
    ByteBuffer body = ByteBuffer.allocate(length.remaining() + 2 * count + 4).put(length);
    for (int i = 0; i < count; i++) {
      body.put((byte) 1).put((byte) 0);
    }
    return request(ApiKey.METADATA, 9, body.array());
  }

  @Test
  void a_frame_that_no_memory_would_do_for_is_refused_when_it_is_announced() throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(ByteBuffer.allocate(4).putInt(CAP_BYTES + 1).array());
      assertThat(isClosed(socket)).isTrue();
    }
    assert_still_serves();
  }

  @Test
  void what_half_sent_frames_hold_stays_below_the_cap() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        Socket socket = connect();
        sockets.add(socket);
        Thread sender = new Thread(() -> sendHalf(socket), "half-" + i);
        sender.setDaemon(true);
        sender.start();
      }
      await().until(() -> broker.listener().heldBytes() > CAP_BYTES / 2);
      await()
          .during(Duration.ofMillis(500))
          .until(() -> broker.listener().heldBytes() <= CAP_BYTES);
      assert_still_serves();
      await().atMost(Duration.ofSeconds(20)).until(() -> broker.listener().connectionCount() == 0);
      assertThat(broker.listener().heldBytes()).isZero();
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static void sendHalf(Socket socket) {
    try {
      socket.getOutputStream().write(ByteBuffer.allocate(4).putInt(CAP_BYTES).array());
      socket.getOutputStream().write(new byte[CAP_BYTES - 1]);
    } catch (IOException cut) {
      // The broker's reaper or the test's end.
    }
  }

  @Test
  void large_frames_of_many_are_all_served_though_they_do_not_fit_together() throws Exception {
    byte[] frame = request(ApiKey.API_VERSIONS, 0, new byte[0]);
    int padding = CAP_BYTES / 3;
    // Bytes that follow the request are passed over, but have to be read first.
    ByteBuffer large = ByteBuffer.allocate(4 + padding).putInt(padding);
    large.put(frame, 4, frame.length - 4);
    List<Thread> senders = new ArrayList<>();
    AtomicInteger served = new AtomicInteger();
    for (int i = 0; i < 16; i++) {
      Thread sender =
          new Thread(
              () -> {
                try (Socket socket = connect()) {
                  socket.getOutputStream().write(large.array());
                  if (readFrame(socket).getInt() == 1) {
                    served.incrementAndGet();
                  }
                } catch (IOException notServed) {
                  // It is missing in the count.
                }
              });
      sender.start();
      senders.add(sender);
    }
    for (Thread sender : senders) {
      sender.join(20_000);
    }
    assertThat(served).hasValue(16);
    // An answer is sent before the memory of its request is given back.
    await().until(() -> broker.listener().heldBytes() == 0);
  }

  @Test
  void a_request_that_would_be_much_larger_in_memory_ends_its_connection() throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(metadataOfManyEmptyNames(500_000));
      assertThat(isClosed(socket)).isTrue();
    }
    try (Socket socket = connect()) {
      socket.getOutputStream().write(metadataOfManyEmptyNames(1_000));
      assertThat(readFrame(socket).getInt()).isEqualTo(1);
    }
    await().until(() -> broker.listener().heldBytes() == 0);
  }

  @Test
  void an_answer_that_would_be_much_larger_than_its_request_ends_its_connection()
      throws IOException {
    int count = 2_000;
    ByteBuffer body = ByteBuffer.allocate(4 + 8 * count + 1).putInt(count);
    for (int i = 0; i < count; i++) {
      body.put((byte) 4).putShort((short) 1).put((byte) '1').putInt(-1);
    }
    try (Socket socket = connect()) {
      socket.getOutputStream().write(request(ApiKey.DESCRIBE_CONFIGS, 1, body.array()));
      assertThat(isClosed(socket)).isTrue();
    }
    await().until(() -> broker.listener().heldBytes() == 0);
    assert_still_serves();
  }

  private void create_topic() throws IOException {
    byte[] one = {0, 0, 0, 1, 0, 1, 't'};
    try (Socket socket = connect()) {
      socket.getOutputStream().write(request(ApiKey.METADATA, 1, one));
      assertThat(readFrame(socket).getInt()).isEqualTo(1);
    }
    await().until(() -> broker.listener().connectionCount() == 0);
  }

  @Test
  void a_peer_that_leaves_while_its_request_waits_frees_its_connection() throws IOException {
    create_topic();
    ByteBuffer fetch = ByteBuffer.allocate(44);
    fetch.putInt(-1).putInt(Integer.MAX_VALUE).putInt(Integer.MAX_VALUE).putInt(Integer.MAX_VALUE);
    fetch.put((byte) 0).putInt(1).putShort((short) 1).put((byte) 't');
    fetch.putInt(1).putInt(0).putLong(0).putInt(Integer.MAX_VALUE);
    Socket socket = connect();
    socket.getOutputStream().write(request(ApiKey.FETCH, 4, fetch.array()));
    await().until(() -> broker.listener().connectionCount() == 1);
    await().during(Duration.ofMillis(300)).until(() -> socket.getInputStream().available() == 0);
    socket.close();
    await().atMost(Duration.ofSeconds(10)).until(() -> broker.listener().connectionCount() == 0);
    assert_still_serves();
  }

  @Test
  void other_protocols_are_sent_away() throws IOException {
    byte[] tls = new byte[517];
    tls[0] = 0x16;
    tls[1] = 3;
    tls[2] = 1;
    tls[3] = 2;
    byte[] http = "GET / HTTP/1.1\r\nHost: broker\r\n\r\n".getBytes(US_ASCII);
    for (byte[] hello : List.of(tls, http)) {
      try (Socket socket = connect()) {
        socket.getOutputStream().write(hello);
        assertThat(isClosed(socket)).isTrue();
      }
    }
    assert_still_serves();
  }

  @Test
  void many_idle_connections_delay_nobody_and_cost_no_request_memory() throws IOException {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 500; i++) {
        sockets.add(connect());
      }
      await().until(() -> broker.listener().connectionCount() == 500);
      assertThat(broker.listener().heldBytes()).isZero();
      assert_still_serves();
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
    await().until(() -> broker.listener().connectionCount() == 0);
  }
}
