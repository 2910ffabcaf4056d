package io.fencepost.samples.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.ResponseHeader;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.message.ApiVersionsRequest;
import io.fencepost.broker.wire.message.MetadataRequest;
import io.fencepost.broker.wire.message.ProduceResponse;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Clients that mean harm against a server with the small memory that it really has. Beside them
 * somebody commits transactions all the time: none may fail, or take long, or be lost.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileClientsIT {
  private static final String PLAIN = "plain";
  private static final String COMPACTED = "compacted";
  private static final int WIDE_PARTITIONS = 40;
  private static final int READ_TIMEOUT_MS = 20_000;

  /** Generous, as the machine may be busy with other things. */
  private static final long MAX_TRANSACTION_MS = 10_000;

  /** 64 MB of heap and 64 MB of direct memory, code, RocksDB, and the stacks of 2,000 threads. */
  private static final int MAX_RESIDENT_MB = 512;

  private static final int IDLE = 2_000;

  private final SplittableRandom random = new SplittableRandom(20261130);
  private final List<Socket> open = new ArrayList<>();
  private final ExecutorService senders = Executors.newCachedThreadPool();
  private ServeProcess server;
  private Bystander bystander;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    // Or a full backlog makes each connection wait for a second.
    server =
        ServeProcess.start(directory.resolve("data"), "--set", "socket.listen.backlog.size=2000");
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
      NewTopic compacted = new NewTopic(COMPACTED, 1, (short) 1);
      compacted.configs(Map.of("cleanup.policy", "compact"));
      NewTopic wide = new NewTopic("wide", WIDE_PARTITIONS, (short) 1);
      admin.createTopics(List.of(new NewTopic(PLAIN, 1, (short) 1), compacted, wide)).all().get();
    }
    bystander = new Bystander(server.bootstrapServers());
    bystander.start();
    bystander.takeLongestMs();
  }

  @AfterEach
  void nobody_else_noticed() throws Exception {
    bystander.awaitProgress();
    assertThat(bystander.takeLongestMs()).isLessThan(MAX_TRANSACTION_MS);
    for (Socket socket : open) {
      socket.close();
    }
    open.clear();
    bystander.awaitProgress();
    assertThat(server.isAlive()).isTrue();
    assertThat(server.memory().peakMb()).as("MB of peak memory").isLessThan(MAX_RESIDENT_MB);
    assertThat(server.errors()).as("what the server calls its own fault").isEmpty();
  }

  @AfterAll
  void stop() throws Exception {
    senders.shutdownNow();
    bystander.finish();
    assertThat(server.stop(30)).as("exit code after SIGTERM").isEqualTo(143);
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress("localhost", server.port()), READ_TIMEOUT_MS);
    socket.setSoTimeout(READ_TIMEOUT_MS);
    open.add(socket);
    return socket;
  }

  private void send(byte[] bytes) throws IOException {
    connect().getOutputStream().write(bytes);
  }

  /** On a thread of its own, as nobody may take them. */
  private void sendInTheBackground(Socket socket, byte[] bytes, int times) {
    senders.execute(
        () -> {
          try {
            for (int i = 0; i < times; i++) {
              socket.getOutputStream().write(bytes);
            }
          } catch (IOException ended) {
            // By the server, or by the end of the test.
          }
        });
  }

  /** The answer, or null if the connection was ended instead. Neither is a failure. */
  private static ByteBuffer answer(Socket socket, byte[] request) throws IOException {
    try {
      socket.getOutputStream().write(request);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] answer = new byte[in.readInt()];
      in.readFully(answer);
      return ByteBuffer.wrap(answer);
    } catch (java.net.SocketTimeoutException neither) {
      throw neither;
    } catch (IOException ended) {
      return null;
    }
  }

  private WireError produced(byte[] request) throws IOException {
    ByteBuffer answer = answer(connect(), request);
    assertThat(answer).isNotNull();
    WireReader in = new WireReader(answer);
    int version = HostileFrames.PRODUCE_VERSION;
    ResponseHeader.read(in, ApiKey.PRODUCE.responseHeaderVersion(version));
    ProduceResponse response = (ProduceResponse) ApiKey.PRODUCE.readResponse(in, version);
    return WireError.of(response.responses.get(0).partitionResponses.get(0).errorCode);
  }

  @Test
  void frames_that_are_announced_and_never_come() throws IOException {
    for (int i = 0; i < 100; i++) {
      send(HostileFrames.announced(90_000_000));
      send(HostileFrames.announced(15_000_000));
      send(Arrays.copyOf(HostileFrames.announced(16_000), 15_000));
    }
    for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertThat(answer(connect(), HostileFrames.announced(length))).isNull();
    }
  }

  @Test
  void large_frames_of_many_that_stop_half_way() throws IOException {
    byte[] half = Arrays.copyOf(HostileFrames.announced(15_000_000), 8_000_000);
    for (int i = 0; i < 30; i++) {
      sendInTheBackground(connect(), half, 1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PRODUCE, 9",
    "FETCH, 11",
    "LIST_OFFSETS, 5",
    "METADATA, 1",
    "METADATA, 9",
    "OFFSET_COMMIT, 8",
    "OFFSET_FETCH, 8",
    "JOIN_GROUP, 6",
    "DESCRIBE_GROUPS, 5",
    "CREATE_TOPICS, 5",
    "DELETE_RECORDS, 2",
    "DESCRIBE_CONFIGS, 1",
    "ADD_PARTITIONS_TO_TXN, 3",
    "TXN_OFFSET_COMMIT, 3",
    "API_VERSIONS, 3",
    "CONSUMER_GROUP_HEARTBEAT, 0"
  })
  void arrays_and_strings_of_any_length(ApiKey api, int version) throws IOException {
    for (byte filling : new byte[] {-1, 0x7F, 1, 0}) {
      byte[] body = new byte[random.nextInt(1 << 20)];
      Arrays.fill(body, filling);
      answer(connect(), HostileFrames.of(api, version, body));
      // A number of elements that is just possible.
      ByteBuffer.wrap(body.length < 4 ? new byte[4] : body).putInt(body.length / 8);
      answer(connect(), HostileFrames.of(api, version, body));
    }
  }

  @Test
  void fetch_sessions_for_more_partitions_than_anybody_can_remember() throws IOException {
    byte[] request = HostileFrames.fetch("nothing", 40_000, 0);
    for (int i = 0; i < 8; i++) {
      assertThat(answer(connect(), request)).isNotNull();
    }
  }

  @Test
  void records_that_unpack_to_a_thousand_times_their_size() throws Exception {
    byte[] tooMuch = HostileFrames.produce(COMPACTED, HostileFrames.bomb(60), null);
    assertThat(produced(tooMuch)).isEqualTo(WireError.MESSAGE_TOO_LARGE);
    byte[] plain = HostileFrames.produce(PLAIN, HostileFrames.bomb(60), null);
    assertThat(produced(plain)).isEqualTo(WireError.NONE);
    for (int i = 0; i < 5; i++) {
      sendInTheBackground(connect(), tooMuch, 1);
      sendInTheBackground(connect(), plain, 1);
    }
    assertThat(answer(connect(), HostileFrames.timeLookUp(PLAIN))).isNotNull();
  }

  @Test
  void requests_without_end_whose_answers_nobody_takes() throws IOException {
    byte[] small = HostileFrames.of(ApiKey.API_VERSIONS, 0, new ApiVersionsRequest());
    MetadataRequest all = new MetadataRequest();
    all.topics = null;
    byte[] large = HostileFrames.of(ApiKey.METADATA, 9, all);
    for (int i = 0; i < 20; i++) {
      sendInTheBackground(connect(), small, 5_000);
      sendInTheBackground(connect(), large, 5_000);
    }
  }

  @Test
  void large_fetches_that_nobody_reads() throws IOException {
    byte[] produce = HostileFrames.produce("wide", HostileFrames.batch(1_000_000), null);
    for (int i = 0; i < 6; i++) {
      assertThat(produced(produce)).isEqualTo(WireError.NONE);
    }
    for (int i = 0; i < 100; i++) {
      send(HostileFrames.fetch("wide", WIDE_PARTITIONS, 0));
    }
  }

  @Test
  void clients_that_vanish_in_the_middle_of_a_request() throws IOException {
    byte[] produce = HostileFrames.produce(PLAIN, HostileFrames.batch(50_000), null);
    byte[] waiting = HostileFrames.fetch("wide", WIDE_PARTITIONS, Integer.MAX_VALUE);
    for (int i = 0; i < 50; i++) {
      for (byte[] bytes :
          List.of(produce, Arrays.copyOf(produce, random.nextInt(produce.length)), waiting)) {
        Socket socket = connect();
        socket.getOutputStream().write(bytes);
        // Without a farewell: the other side gets a reset.
        socket.setSoLinger(true, 0);
        socket.close();
      }
    }
  }

  @Test
  void producers_that_claim_transactions_of_others() throws IOException {
    Socket socket = connect();
    for (int i = 0; i < 2_000; i++) {
      ByteBuffer batch =
          BatchWriter.at(0)
              .producer(random.nextLong(1L << 60), (short) random.nextInt(100), 0)
              .transactional()
              .add(1, new byte[1], new byte[1])
              .build();
      assertThat(answer(socket, HostileFrames.produce(PLAIN, batch, "theirs"))).isNotNull();
    }
  }

  @Test
  void members_that_tell_a_megabyte_of_themselves() throws IOException {
    answer(connect(), HostileFrames.findCoordinator("large"));
    for (int i = 0; i < 100; i++) {
      answer(connect(), HostileFrames.join("large-" + i, 1_000_000));
    }
  }

  @Test
  void other_protocols_and_garbage() throws IOException {
    byte[] tls = {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xFC, 3, 3};
    byte[] http = "GET / HTTP/1.1\r\nHost: broker\r\n\r\n".getBytes(US_ASCII);
    assertThat(answer(connect(), tls)).isNull();
    assertThat(answer(connect(), http)).isNull();
    for (int i = 0; i < 200; i++) {
      byte[] garbage = new byte[1 + random.nextInt(300)];
      random.nextBytes(garbage);
      ByteBuffer frame = ByteBuffer.allocate(4 + garbage.length);
      send(frame.putInt(garbage.length).put(garbage).array());
      send(garbage);
    }
  }

  @Test
  void two_thousand_idle_connections() throws Exception {
    int before = server.memory().residentMb();
    for (int i = 0; i < IDLE; i++) {
      connect();
    }
    byte[] request = HostileFrames.of(ApiKey.API_VERSIONS, 0, new ApiVersionsRequest());
    for (int i = 0; i < IDLE; i += 20) {
      assertThat(answer(open.get(i), request)).isNotNull();
    }
    long cpuMs = server.cpuMs();
    long start = System.nanoTime();
    bystander.awaitProgress();
    long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    System.out.printf(
        "%d idle connections: %d MB resident, %d before; %d ms of CPU in %d ms beside a client%n",
        IDLE, server.memory().residentMb(), before, server.cpuMs() - cpuMs, elapsedMs);
  }
}
