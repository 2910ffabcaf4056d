package io.fencepost.testkit.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.message.ApiVersionsRequest;
import io.fencepost.broker.wire.message.ApiVersionsResponse;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import io.fencepost.txn.main.FencepostServer;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Thousands of requests of every served API and version, valid but for some damaged bytes, against
 * a live server. Each gets an answer or the end of its connection, no bug shows in the server's
 * log, and a transactional client beside them loses nothing.
 */
class MutatedRequestsIT {
  private static final int REQUESTS = Integer.getInteger("fencepost.mutants", 2_000);
  private static final int SENDERS = 4;
  private static final int PATIENCE_MS = 20_000;
  private static final int WAIT_MS = 100;
  private static final String KEPT = "kept";
  private static final List<String> NAMES = List.of("victim", "other", "", "t", "group");

  /** May be answered much later, whatever the reason of their client. */
  private static final Set<ApiKey> WAITING =
      EnumSet.of(ApiKey.FETCH, ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP, ApiKey.PRODUCE);

  private final long seed = Long.getLong("fencepost.seed", System.nanoTime());
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();

  @Test
  void damaged_requests_hurt_nobody() throws Exception {
    System.out.println("rerun with -Dfencepost.seed=" + seed);
    ListAppender<ILoggingEvent> errors = new ListAppender<>();
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    errors.start();
    root.addAppender(errors);
    try (FencepostServer server = FencepostServer.start()) {
      AtomicBoolean stopping = new AtomicBoolean();
      CompletableFuture<Void> begun = new CompletableFuture<>();
      CompletableFuture<List<String>> kept =
          CompletableFuture.supplyAsync(() -> keepSending(server, begun, stopping));
      try {
        CompletableFuture.anyOf(begun, kept).join();
        sendMutants(server);
      } finally {
        stopping.set(true);
      }
      List<String> sent = kept.join();
      assertThat(committed(server)).as("seed %d", seed).containsExactlyElementsOf(sent);
      assertThat(sent).as("seed %d", seed).hasSizeGreaterThan(1);
      System.out.println(sent.size() + " transactions beside them");
    } finally {
      root.detachAppender(errors);
    }
    System.out.println(answered + " of " + REQUESTS + " answered, " + closed + " closed");
    assertThat(answered.get()).as("seed %d", seed).isPositive();
    assertThat(closed.get()).as("seed %d", seed).isPositive();
    assertThat(errors.list)
        .as("seed %d: what the server calls its own fault", seed)
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.ERROR))
        .extracting(event -> event + " " + cause(event))
        .isEmpty();
  }

  private static String cause(ILoggingEvent event) {
    return event.getThrowableProxy() == null
        ? ""
        : ch.qos.logback.classic.spi.ThrowableProxyUtil.asString(event.getThrowableProxy());
  }

  private void sendMutants(FencepostServer server) throws Exception {
    Endpoint address = Endpoint.parse(server.bootstrapServers());
    List<ApiVersionsResponse.ApiVersion> served;
    try (RawClient client = RawClient.connect(address)) {
      ApiVersionsRequest request = new ApiVersionsRequest();
      served = client.call(ApiKey.API_VERSIONS, 0, request, ApiVersionsResponse.class).apiKeys;
    }
    SplittableRandom root = new SplittableRandom(seed);
    ExecutorService senders = Executors.newFixedThreadPool(SENDERS);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int i = 0; i < SENDERS; i++) {
        SplittableRandom random = root.split();
        done.add(
            senders.submit(
                () -> {
                  sendMutants(address, served, random);
                  return null;
                }));
      }
      for (Future<?> each : done) {
        each.get();
      }
    } finally {
      senders.shutdownNow();
    }
  }

  private void sendMutants(
      Endpoint address, List<ApiVersionsResponse.ApiVersion> served, SplittableRandom random)
      throws Exception {
    RandomRequests requests = new RandomRequests(random, NAMES);
    Socket socket = null;
    for (int i = 0; i < REQUESTS / SENDERS; i++) {
      ApiVersionsResponse.ApiVersion range = served.get(random.nextInt(served.size()));
      ApiKey api = ApiKey.of(range.apiKey);
      // Older ones are shown for old clients' sake, without being served.
      int lowest = Math.max(range.minVersion, api.lowestVersion());
      int version = random.nextInt(lowest, range.maxVersion + 1);
      byte[] frame = requests.damaged(requests.frame(api, version));
      if (socket == null) {
        socket = new Socket(address.host(), address.port());
      }
      if (!isAnswered(socket, api, version, frame)) {
        socket.close();
        socket = null;
      }
    }
    if (socket != null) {
      socket.close();
    }
  }

  private boolean isAnswered(Socket socket, ApiKey api, int version, byte[] frame)
      throws IOException {
    boolean mayWait = WAITING.contains(api);
    socket.setSoTimeout(mayWait ? WAIT_MS : PATIENCE_MS);
    byte[] whole = ByteBuffer.allocate(4 + frame.length).putInt(frame.length).put(frame).array();
    try {
      socket.getOutputStream().write(whole);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      in.readFully(new byte[in.readInt()]);
      answered.incrementAndGet();
      return true;
    } catch (SocketTimeoutException late) {
      assertThat(mayWait)
          .as("seed %d: %s version %d is neither answered nor refused", seed, api, version)
          .isTrue();
      return false;
    } catch (IOException refused) {
      closed.incrementAndGet();
      return false;
    }
  }

  /** What was committed; nothing may fail. */
  private static List<String> keepSending(
      FencepostServer server, CompletableFuture<Void> begun, AtomicBoolean stopping) {
    List<String> committed = new ArrayList<>();
    Map<String, Object> config =
        Map.of("bootstrap.servers", server.bootstrapServers(), "transactional.id", KEPT);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
      producer.initTransactions();
      for (int i = 0; !stopping.get(); i++) {
        producer.beginTransaction();
        var unused = producer.send(new ProducerRecord<>(KEPT, 0, null, "value " + i));
        // kafka-clients 4.4 may end a transaction ahead of a record that was sent just before.
        producer.flush();
        producer.commitTransaction();
        committed.add("value " + i);
        begun.complete(null);
      }
    }
    return committed;
  }

  private static List<String> committed(FencepostServer server) {
    List<String> values = new ArrayList<>();
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            server.bootstrapServers(),
            "isolation.level",
            "read_committed",
            "auto.offset.reset",
            "earliest");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      TopicPartition partition = new TopicPartition(KEPT, 0);
      consumer.assign(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
          values.add(record.value());
        }
      }
    }
    return values;
  }
}
