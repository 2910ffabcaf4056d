package io.fencepost.broker.api;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FetchResponse;

/**
 * Fetch (key 1), versions 4 to 18: returns batches as they lie in the log, from files, up to the
 * high watermark or, for read_committed, the last stable offset; waits until there are min bytes or
 * the time is over.
 *
 * <p>The first batch is returned whole even if it is larger than the limits. An answer stops at the
 * end of a segment. Every fetch is served as a consumer's: followers of a cluster do not come by
 * the network.
 *
 * <pre>
 * 4   isolation level, aborted transactions      12  flexible; last fetched epoch
 * 5   log start offset                           13  topic ids
 * 7   sessions (KIP-227)                         15  replica state
 * 9   current leader epoch                       16  endpoints of leaders
 * 11  rack                                       17, 18  fields of followers, ignored
 * </pre>
 */
public final class Fetch implements ApiHandler<FetchRequest, FetchResponse> {
  private final PartitionLookup lookup;
  private final FetchSessions sessions;
  private final Scheduler scheduler;

  /** No answer is larger, but for one first batch. */
  private final int answerBytesMax;

  /** Who waits longer is cut off as idle. */
  private final long maxWaitMs;

  public Fetch(
      ClusterView cluster,
      Replicas replicas,
      Clock clock,
      Scheduler scheduler,
      Entropy entropy,
      BrokerConfig config) {
    this.lookup = new PartitionLookup(cluster, replicas);
    this.sessions =
        new FetchSessions(
            config.intOf("max.incremental.fetch.session.cache.slots"),
            clock,
            entropy.named("fetch-sessions"));
    this.scheduler = scheduler;
    this.answerBytesMax = config.intOf("fetch.max.bytes");
    this.maxWaitMs = config.longOf("connections.max.idle.ms");
  }

  @Override
  public void handle(RequestContext context, FetchRequest request, Reply<FetchResponse> reply) {
    FetchSessions.Plan plan = sessions.plan(request, context.apiVersion());
    FetchReader reader =
        new FetchReader(
            lookup,
            plan.targets(),
            request.isolationLevel,
            Math.max(0, Math.min(request.maxBytes, answerBytesMax)));
    FetchAnswer answer = new FetchAnswer(sessions, plan, lookup, context.apiVersion());
    new FetchCall(reader, answer, request, maxWaitMs, reply).start(scheduler);
  }
}
