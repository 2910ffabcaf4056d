package io.fencepost.samples.bench;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.InitProducerIdRequest;
import io.fencepost.broker.wire.message.InitProducerIdResponse;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import io.fencepost.txn.shard.ShardMap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Transactional ids that one coordinator is responsible for, as many as wanted. */
final class TransactionalIds {
  private static final int CONNECTIONS = 16;
  private static final short INIT_VERSION = 4;
  private static final int TIMEOUT_MS = 60_000;
  private static final long BACK_OFF_NANOS = 20_000_000;

  private TransactionalIds() {}

  /** Different ids that all belong to one partition of the transaction log. */
  static List<String> of(int partition, int partitionCount, int count) {
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "bench-" + i)
        .filter(id -> ShardMap.partitionFor(id, partitionCount) == partition)
        .limit(count)
        .toList();
  }

  /** Has the coordinator give an identity to each, over a few connections at once. */
  static void register(Endpoint coordinator, List<String> ids) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
    try {
      List<Future<?>> shares = new ArrayList<>();
      int share = (ids.size() + CONNECTIONS - 1) / CONNECTIONS;
      for (int from = 0; from < ids.size(); from += share) {
        List<String> mine = ids.subList(from, Math.min(ids.size(), from + share));
        shares.add(threads.submit(() -> registerAll(coordinator, mine)));
      }
      for (Future<?> each : shares) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Asks once for an identity, new or again. */
  static WireError init(RawClient coordinator, String id) {
    InitProducerIdRequest request = new InitProducerIdRequest();
    request.transactionalId = id;
    request.transactionTimeoutMs = TIMEOUT_MS;
    return WireError.of(
        coordinator.call(
                ApiKey.INIT_PRODUCER_ID, INIT_VERSION, request, InitProducerIdResponse.class)
            .errorCode);
  }

  private static void registerAll(Endpoint coordinator, List<String> ids) {
    try (RawClient client = RawClient.connect(coordinator)) {
      for (String id : ids) {
        WireError error = init(client, id);
        while (error == WireError.COORDINATOR_LOAD_IN_PROGRESS) {
          LockSupport.parkNanos(BACK_OFF_NANOS);
          error = init(client, id);
        }
        if (error != WireError.NONE) {
          throw new IllegalStateException(id + " got no identity: " + error);
        }
      }
    }
  }
}
