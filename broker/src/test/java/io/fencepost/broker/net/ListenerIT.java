package io.fencepost.broker.net;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers that behave badly, on real sockets. */
class ListenerIT {
  private static final long SEED = 20261129;

  @TempDir Path directory;
  private BrokerServer broker;

  @BeforeEach
  void start_a_broker() {
    Map<String, String> settings = new TreeMap<>();
    settings.put("log.dirs", directory.toString());
    settings.put("listeners", "PLAINTEXT://localhost:0");
    settings.put("request.timeout.ms", "1500");
    settings.put("connections.max.idle.ms", "60000");
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
  void a_hundred_announcers_of_90_mb_hold_no_memory_and_are_cut() throws IOException {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        Socket socket = connect();
        sockets.add(socket);
        socket.getOutputStream().write(ByteBuffer.allocate(4).putInt(90_000_000).array());
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
}
