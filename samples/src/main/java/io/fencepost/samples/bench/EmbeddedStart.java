package io.fencepost.samples.bench;

import io.fencepost.txn.main.FencepostServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Start of the embedded broker inside this JVM up to the first committed transaction, the client's
 * own set-up included, as a test pays for it.
 */
final class EmbeddedStart {
  /** Of the client, unless set. */
  static final int DEFAULT_BACKOFF_MS = 100;

  private final int warmUps;
  private final int starts;

  /**
   * @param warmUps starts that are not counted, until the JVM has compiled what is hot
   */
  EmbeddedStart(int warmUps, int starts) {
    this.warmUps = warmUps;
    this.starts = starts;
  }

  /**
   * One start.
   *
   * @param millis by the wall clock
   * @param around what else ran
   */
  record Start(double millis, Around around) {}

  /**
   * The starts by {@code retry.backoff.ms} of the producer, taking turns. The client sleeps that
   * long once inside initTransactions, whatever the broker does.
   */
  Map<Integer, List<Start>> run(List<Integer> backoffsMs) throws Exception {
    Map<Integer, List<Start>> results = new TreeMap<>();
    backoffsMs.forEach(backoffMs -> results.put(backoffMs, new ArrayList<>()));
    for (int i = -warmUps; i < starts; i++) {
      for (int backoffMs : backoffsMs) {
        Start start = start(backoffMs);
        if (i >= 0) {
          results.computeIfAbsent(backoffMs, it -> new ArrayList<>()).add(start);
        }
      }
    }
    return results;
  }

  private static Start start(int backoffMs) throws Exception {
    Workload workload =
        new TransactionWorkload(1, Map.of(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, backoffMs));
    Machine.Mark mark = Machine.mark();
    long begin = System.nanoTime();
    try (FencepostServer server = FencepostServer.start();
        Workload.Session session = workload.open(server.bootstrapServers())) {
      session.run(1, new Latencies());
      Duration wall = Duration.ofNanos(System.nanoTime() - begin);
      Around around = Around.since(mark, Duration.ZERO, wall);
      try (LogCheck log = new LogCheck(server.bootstrapServers(), workload.topic())) {
        log.grewBy(workload.offsetsPerOperation(), 0);
      }
      return new Start(wall.toNanos() / 1e6, around);
    }
  }
}
