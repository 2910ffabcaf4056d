package io.fencepost.testkit.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.testkit.campaign.client.Parking;
import io.fencepost.testkit.campaign.client.Readers;
import io.fencepost.testkit.campaign.client.Recorder;
import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import io.fencepost.txn.main.DataDirectory;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server under load is killed, or told to stop, at random moments and started again on what it
 * left. Afterwards every invariant must hold over all that its clients were told.
 *
 * <p>For longer: {@code -Dfencepost.kill.seconds=600}; to repeat a plan: {@code
 * -Dfencepost.seed=0x…} (the moments within the server's work still differ).
 */
class KillIT {
  private static final String TOPIC = "payments";
  private static final int PARTITIONS = 3;
  private static final int DEFAULT_SECONDS = 18;
  private static final int MAX_TRANSACTIONS_PER_LIFE = 30;
  private static final int MAX_LIFE_MS = 10_000;
  private static final int MAX_DELAY_MS = 40;
  private static final long MAX_STOP_MS = 15_000;

  private final long seed = Long.getLong("fencepost.seed", System.nanoTime());
  private final int seconds = Integer.getInteger("fencepost.kill.seconds", DEFAULT_SECONDS);
  private int kills;
  private int stops;
  private long longestStopMs;

  @Test
  void what_was_acknowledged_survives_kill_9_and_sigterm(@TempDir Path dir) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    int port = freePort();
    String bootstrap = "localhost:" + port;
    ServerProcess server = start(dir, port);
    Recorder recorder = new Recorder();
    try {
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
        admin
            .createTopics(
                List.of(
                    new NewTopic(TOPIC, PARTITIONS, (short) 1),
                    new NewTopic(Load.INPUT, 1, (short) 1)))
            .all()
            .get();
      }
      Load load = new Load(bootstrap, TOPIC, PARTITIONS, recorder);
      Readers live = new Readers(bootstrap, List.of(TOPIC), PARTITIONS, recorder);
      load.plain("p0", random.nextLong());
      load.transactional("t0", random.nextLong());
      load.transactional("t1", random.nextLong());
      live.start("");
      GroupMembers members = new GroupMembers(bootstrap, TOPIC, recorder);
      members.start();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      while (System.nanoTime() < end || stops == 0) {
        awaitTransactions(recorder, 1 + random.nextInt(MAX_TRANSACTIONS_PER_LIFE));
        Parking.millis(random.nextInt(MAX_DELAY_MS));
        if (kills <= stops) {
          server.kill();
          kills++;
          assertThat(damage(dir)).as("after kill %d, seed 0x%x", kills, seed).isEmpty();
        } else {
          stopUnderLoad(server, dir);
        }
        server = start(dir, port);
      }
      load.stop();
      live.finish();
      members.finish(PARTITIONS);
      Readers scan = new Readers(bootstrap, List.of(TOPIC), PARTITIONS, recorder);
      scan.start("-scan");
      scan.finish();
      scanBatches(new Endpoint("localhost", port), recorder);
      checkTransactionsEnded(bootstrap);
      assertThat(server.stop()).as("exit code after SIGTERM").isEqualTo(143);
    } finally {
      server.kill();
    }
    assertThat(findings(dir)).as("after the last stop, seed 0x%x", seed).isEmpty();
    check(recorder);
  }

  /** In bounded time, and nothing is left to recover for the next start. */
  private void stopUnderLoad(ServerProcess server, Path dir) throws InterruptedException {
    long start = System.nanoTime();
    assertThat(server.stop()).as("exit code after SIGTERM").isEqualTo(143);
    stops++;
    longestStopMs =
        Math.max(longestStopMs, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    assertThat(findings(dir)).as("after stop %d, seed 0x%x", stops, seed).isEmpty();
  }

  private static List<Finding> findings(Path dir) {
    List<Finding> findings = new ArrayList<>();
    DataDirectory.check(dir, findings::add);
    return findings;
  }

  private static ServerProcess start(Path dir, int port) throws IOException {
    return ServerProcess.start(
        dir,
        port,
        "log.roll.ms",
        "1500",
        "group.consumer.min.heartbeat.interval.ms",
        "500",
        "group.consumer.heartbeat.interval.ms",
        "500");
  }

  /** What a check of the directory finds that the next start would not put right. */
  private static List<Finding> damage(Path dir) {
    return findings(dir).stream().filter(Finding::isDamage).toList();
  }

  /** Until so many more have come to their end, so that a slow machine gets somewhere too. */
  private static void awaitTransactions(Recorder recorder, int count) {
    int wanted = recorder.count(Event.Staged.class) + count;
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MAX_LIFE_MS);
    while (recorder.count(Event.Staged.class) < wanted && System.nanoTime() < end) {
      Parking.millis(2);
    }
  }

  private void check(Recorder recorder) {
    String run =
        "seed 0x%x, %d kills, %d stops of %d ms at most, %d records sent, %d transactions with offsets"
            .formatted(
                seed,
                kills,
                stops,
                longestStopMs,
                recorder.count(Event.Sent.class),
                recorder.count(Event.Staged.class));
    assertThat(kills).as(run).isPositive();
    assertThat(longestStopMs).as(run).isLessThan(MAX_STOP_MS);
    System.out.println(run);
    assertThat(recorder.troubles()).as("%s: what clients met", run).isEmpty();
    recorder
        .verdicts(Check.all())
        .forEach(
            (id, verdict) -> {
              assertThat(verdict).as("%s, %s", id, run).isNotInstanceOf(Verdict.Fail.class);
              // The clients do not show watermarks, so L3 is left to the simulator.
              if (!id.equals("L3")) {
                assertThat(verdict).as("%s, %s", id, run).isInstanceOf(Verdict.Pass.class);
              }
            });
  }

  private static int freePort() throws Exception {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  private static void checkTransactionsEnded(String bootstrap) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      Collection<TransactionListing> all = admin.listTransactions().all().get();
      assertThat(all)
          .hasSize(2)
          .allSatisfy(
              listing ->
                  assertThat(listing.state())
                      .isIn(
                          TransactionState.EMPTY,
                          TransactionState.COMPLETE_COMMIT,
                          TransactionState.COMPLETE_ABORT));
    }
  }

  /** The batches as they stand in the log, which consumers do not show. */
  private static void scanBatches(Endpoint server, Recorder recorder) {
    try (RawClient client = RawClient.connect(server)) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        long offset = 0;
        while (true) {
          ByteBuffer records = fetch(client, partition, offset);
          if (!records.hasRemaining()) {
            break;
          }
          BatchView batch = new BatchView();
          for (int at = 0; at < records.limit(); at += batch.sizeBytes()) {
            batch.wrap(records, at);
            offset = batch.nextOffset();
            if (!batch.isControl()) {
              recorder.add(
                  new Event.Batch(
                      new TopicPartition(TOPIC, partition),
                      batch.baseOffset(),
                      batch.producerId(),
                      batch.producerEpoch(),
                      batch.baseSequence(),
                      batch.recordCount()));
            }
          }
        }
      }
    }
  }

  private static ByteBuffer fetch(RawClient client, int partition, long offset) {
    FetchRequest.FetchPartition wanted = new FetchRequest.FetchPartition();
    wanted.partition = partition;
    wanted.fetchOffset = offset;
    wanted.partitionMaxBytes = 1 << 20;
    FetchRequest.FetchTopic topic = new FetchRequest.FetchTopic();
    topic.topic = TOPIC;
    topic.topicId = Uuid.ZERO;
    topic.partitions.add(wanted);
    FetchRequest request = new FetchRequest();
    request.maxWaitMs = 0;
    request.minBytes = 0;
    request.topics.add(topic);
    FetchResponse response = client.call(ApiKey.FETCH, 11, request, FetchResponse.class);
    FetchResponse.PartitionData data = response.responses.get(0).partitions.get(0);
    assertThat(data.errorCode).isZero();
    return data.records == null ? ByteBuffer.allocate(0) : data.records.toBuffer();
  }
}
