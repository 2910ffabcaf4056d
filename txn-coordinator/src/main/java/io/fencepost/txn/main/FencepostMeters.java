package io.fencepost.txn.main;

import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.wire.ApiKey;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A server's meters in a Micrometer registry, under {@code fencepost.*}. The only class that needs
 * micrometer-core on the class path. One per server; thread-safe.
 *
 * <p>Counts and times are told as they happen. What must be looked at (open transactions, lags,
 * groups) is sampled every {@link #SAMPLE_MS} and by {@link #refresh}.
 */
public final class FencepostMeters implements ServerMeters {
  /** How old a gauge's value can be. */
  public static final long SAMPLE_MS = 5_000;

  private static final int APIS = 128;
  private static final ServerView.Sample NOTHING =
      new ServerView.Sample(0, 0, 0, new TreeMap<>(), new TreeMap<>());

  private final MeterRegistry registry;
  private final AtomicReferenceArray<@Nullable Timer> requests = new AtomicReferenceArray<>(APIS);
  private final Timer appends;
  private final Timer forces;
  private final EnumMap<Ending, Counter> endings = new EnumMap<>(Ending.class);
  private final MultiGauge groups;
  private final MultiGauge lags;
  private volatile ServerView.Sample sample = NOTHING;
  private @Nullable ServerView server;
  private Scheduler.@Nullable Timer timer;

  private FencepostMeters(MeterRegistry registry) {
    this.registry = registry;
    this.appends =
        Timer.builder("fencepost.log.append")
            .description("Time to check a batch or marker and write it to its log")
            .register(registry);
    this.forces =
        Timer.builder("fencepost.log.force")
            .description("Time to force a log to the disk")
            .register(registry);
    for (Ending ending : Ending.values()) {
      endings.put(
          ending,
          Counter.builder("fencepost.transactions.ended")
              .description("Transactions whose end was decided")
              .tag("outcome", ending.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    Gauge.builder("fencepost.transactions.open", this, meters -> meters.sample.openTransactions())
        .description("Transactions that are open or about to end")
        .register(registry);
    TimeGauge.builder(
            "fencepost.transactions.oldest.age",
            this,
            TimeUnit.MILLISECONDS,
            meters -> meters.sample.oldestOpenMs())
        .description("How long the oldest open transaction has been open")
        .register(registry);
    Gauge.builder("fencepost.producer.ids", this, meters -> meters.sample.producerIds())
        .description("Producer ids that partitions remember")
        .register(registry);
    this.groups =
        MultiGauge.builder("fencepost.groups")
            .description("Groups with members, by state")
            .register(registry);
    this.lags =
        MultiGauge.builder("fencepost.partition.stable.lag")
            .description("Offsets that readers of committed records are behind all others")
            .baseUnit("offsets")
            .register(registry);
  }

  /** Meters for one server in this registry; give them to {@link FencepostConfig.Builder}. */
  public static FencepostMeters on(MeterRegistry registry) {
    return new FencepostMeters(registry);
  }

  @Override
  public void onRequest(short apiId, long nanos) {
    if (apiId >= 0 && apiId < APIS) {
      Timer requestTimer = requests.get(apiId);
      if (requestTimer == null) {
        requestTimer = requestTimer(apiId);
        requests.set(apiId, requestTimer);
      }
      requestTimer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  private Timer requestTimer(short apiId) {
    ApiKey key = ApiKey.of(apiId);
    return Timer.builder("fencepost.requests")
        .description("Time from a request's last byte to the last byte of its answer")
        .tag("api", key == null ? "unknown" : key.apiName())
        .register(registry);
  }

  @Override
  public void onAppend(long nanos) {
    appends.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void onForce(long nanos) {
    forces.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void onTransactionEnd(Ending ending) {
    Counter counter = endings.get(ending);
    if (counter != null) {
      counter.increment();
    }
  }

  @Override
  public synchronized void watch(ServerView started) {
    server = started;
    refresh();
    timer = started.after(SAMPLE_MS, this::onTimer);
  }

  private synchronized void onTimer() {
    ServerView watched = server;
    if (watched != null) {
      refresh();
      timer = watched.after(SAMPLE_MS, this::onTimer);
    }
  }

  @Override
  public synchronized void unwatch() {
    server = null;
    if (timer != null) {
      timer.cancel();
    }
    show(NOTHING);
  }

  /** Looks at the server now, so that the gauges are up to date; nothing once it has stopped. */
  public synchronized void refresh() {
    ServerView watched = server;
    if (watched != null) {
      show(watched.sample());
    }
  }

  private void show(ServerView.Sample seen) {
    sample = seen;
    List<MultiGauge.Row<?>> states = new ArrayList<>();
    seen.groups()
        .forEach((state, count) -> states.add(MultiGauge.Row.of(Tags.of("state", state), count)));
    groups.register(states, true);
    List<MultiGauge.Row<?>> partitions = new ArrayList<>();
    seen.stableLags()
        .forEach(
            (partition, lag) ->
                partitions.add(
                    MultiGauge.Row.of(
                        Tags.of(
                            "topic",
                            partition.topic(),
                            "partition",
                            String.valueOf(partition.partition())),
                        lag)));
    lags.register(partitions, true);
  }
}
