package io.fencepost.streams.main;

import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.JobHealth;
import io.fencepost.streams.JobObserver;
import io.fencepost.streams.JobState;
import io.fencepost.streams.RestoreProgress;
import io.fencepost.streams.StoreSize;
import io.fencepost.streams.TaskHealth;
import io.fencepost.streams.WorkerHealth;
import io.fencepost.streams.task.AbortCause;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job's meters in a Micrometer registry, under {@code fencepost.streams.*}, tagged by job,
 * application and instance. The only class of this module that needs micrometer-core on the class
 * path. Thread-safe.
 *
 * <p>Commits and failures are told as they happen; what must be looked at (lags, sizes) is sampled
 * every {@link #SAMPLE_MS} and by {@link #refresh}. Ends with the job.
 */
public final class JobMeters implements JobObserver, AutoCloseable {
  /** How old the gauges of partitions and stores can be. */
  public static final long SAMPLE_MS = 5_000;

  private static final Logger log = LoggerFactory.getLogger(JobMeters.class);

  private final JobHandle handle;
  private final MeterRegistry registry;
  private final Tags tags;
  private final List<Meter> meters = new ArrayList<>();
  private final Map<String, Meter> byName = new ConcurrentHashMap<>();
  private final Map<String, Counter> aborts = new HashMap<>();
  private final MultiGauge lags;
  private final MultiGauge restoring;
  private final MultiGauge standbys;
  private final MultiGauge keys;
  private final MultiGauge bytes;
  private final ScheduledExecutorService sampler;

  private JobMeters(JobHandle handle, MeterRegistry registry) {
    JobHealth health = handle.health();
    this.handle = handle;
    this.registry = registry;
    this.tags =
        Tags.of(
            "job",
            health.job(),
            "application",
            health.application(),
            "instance",
            health.instance());
    count("records", "Input records of committed transactions", JobCounts::records);
    count("outputs", "Records that these wrote, without dead letters", JobCounts::emitted);
    count("dead.letters", "Input records that became dead letters", JobCounts::deadLetters);
    count("duplicates", "Repetitions that deduplicate found", JobCounts::duplicates);
    count("dropped", "Messages that came too late and went nowhere", JobCounts::dropped);
    count("commits", "Transactions committed", JobCounts::commits);
    for (AbortCause cause : AbortCause.values()) {
      aborts.put(
          cause.name(),
          keep(
              Counter.builder(name("aborts"))
                  .description("Transactions aborted since the meters were bound, by cause")
                  .tags(tags.and("cause", cause.name()))
                  .register(registry)));
    }
    count("fences", "Times that a worker was fenced", JobCounts::fences);
    count("restored", "Changes read back from changelogs", JobCounts::restored);
    for (JobState state : JobState.values()) {
      keep(
          Gauge.builder(name("state"), handle, job -> job.health().state() == state ? 1 : 0)
              .description("1 for the state that the job is in")
              .tags(tags.and("state", state.name().toLowerCase(Locale.ROOT)))
              .register(registry));
    }
    this.lags = gauges("lag", "End of the committed input minus position", "offsets");
    this.restoring = gauges("restore.remaining", "Changelog offsets left to restore", "offsets");
    this.standbys = gauges("standby.remaining", "Offsets that a standby copy is behind", "offsets");
    this.keys = gauges("store.keys", "Estimated entries of a store's partition", "keys");
    this.bytes = gauges("store.size", "Estimated size of a store's partition", "bytes");
    this.sampler =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, health.application() + "-meters");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Measures that job in this registry from now on. */
  public static JobMeters bind(JobHandle handle, MeterRegistry registry) {
    JobMeters meters = new JobMeters(handle, registry);
    handle.observe(meters);
    var unused =
        meters.sampler.scheduleWithFixedDelay(meters::sample, 0, SAMPLE_MS, TimeUnit.MILLISECONDS);
    return meters;
  }

  private static String name(String what) {
    return "fencepost.streams." + what;
  }

  private void count(String what, String description, ToLongFunction<JobCounts> count) {
    ToDoubleFunction<JobHandle> value = job -> count.applyAsLong(job.counts());
    keep(
        FunctionCounter.builder(name(what), handle, value)
            .description(description)
            .tags(tags)
            .register(registry));
  }

  private MultiGauge gauges(String what, String description, String unit) {
    return MultiGauge.builder(name(what))
        .description(description)
        .baseUnit(unit)
        .tags(tags)
        .register(registry);
  }

  private <M extends Meter> M keep(M meter) {
    synchronized (meters) {
      meters.add(meter);
    }
    return meter;
  }

  @Override
  public void committed(String worker, long nanos, long records, long sentBytes) {
    ((Timer) byName.computeIfAbsent("commit " + worker, unused -> commitTimer(worker)))
        .record(nanos, TimeUnit.NANOSECONDS);
    summary("transaction.records", "Input records per transaction", "records", worker)
        .record((double) records);
    summary("transaction.size", "Keys and values that a transaction sent", "bytes", worker)
        .record((double) sentBytes);
  }

  private Timer commitTimer(String worker) {
    return keep(
        Timer.builder(name("commit"))
            .description("Time from the first changelog record to the commit's answer")
            .tags(tags.and("worker", worker))
            .register(registry));
  }

  private DistributionSummary summary(String what, String description, String unit, String worker) {
    return (DistributionSummary)
        byName.computeIfAbsent(
            what + " " + worker,
            unused ->
                keep(
                    DistributionSummary.builder(name(what))
                        .description(description)
                        .baseUnit(unit)
                        .tags(tags.and("worker", worker))
                        .register(registry)));
  }

  @Override
  public void failed(String worker, String failure, String exception) {
    Tags cause = tags.and("worker", worker, "cause", failure, "exception", exception);
    ((Counter)
            byName.computeIfAbsent(
                "failures " + cause,
                unused ->
                    keep(
                        Counter.builder(name("failures"))
                            .description("Cycles that failed, by what that means and by error")
                            .tags(cause)
                            .register(registry))))
        .increment();
  }

  @Override
  public void aborted(String worker, String cause) {
    Counter counter = aborts.get(cause);
    if (counter != null) {
      counter.increment();
    }
  }

  private void sample() {
    if (!handle.isRunning()) {
      sampler.shutdown();
      clear();
      return;
    }
    try {
      refresh();
    } catch (RuntimeException e) {
      // A store in trouble ends its job; the next sample finds out.
      log.debug("job {} could not be sampled", handle.health().job(), e);
    }
  }

  /** Makes the gauges of partitions and stores new. */
  public void refresh() {
    List<MultiGauge.Row<?>> lagRows = new ArrayList<>();
    for (WorkerHealth worker : handle.health().workers()) {
      for (TaskHealth task : worker.tasks()) {
        for (TaskHealth.Input input : task.inputs()) {
          if (input.lag() >= 0) {
            Tags of = Tags.of("worker", worker.worker(), "topic", input.topic());
            lagRows.add(MultiGauge.Row.of(of.and(partition(input.partition())), input.lag()));
          }
        }
      }
    }
    lags.register(lagRows, true);
    restoring.register(remaining(handle.restoring()), true);
    standbys.register(remaining(handle.standbys()), true);
    List<MultiGauge.Row<?>> keyRows = new ArrayList<>();
    List<MultiGauge.Row<?>> byteRows = new ArrayList<>();
    for (StoreSize size : handle.storeSizes()) {
      Tags of = Tags.of("store", size.store()).and(partition(size.partition()));
      keyRows.add(MultiGauge.Row.of(of, size.keys()));
      byteRows.add(MultiGauge.Row.of(of, size.bytes()));
    }
    keys.register(keyRows, true);
    bytes.register(byteRows, true);
  }

  private static Tags partition(int partition) {
    return Tags.of("partition", String.valueOf(partition));
  }

  private static List<MultiGauge.Row<?>> remaining(List<RestoreProgress> ways) {
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    for (RestoreProgress way : ways) {
      Tags of = Tags.of("store", way.store()).and(partition(way.partition()));
      rows.add(MultiGauge.Row.of(of, Math.max(0, way.end() - way.position())));
    }
    return rows;
  }

  private void clear() {
    for (MultiGauge gauge : List.of(lags, restoring, standbys, keys, bytes)) {
      gauge.register(List.of(), true);
    }
  }

  /** Takes the meters out of the registry. */
  @Override
  public void close() {
    sampler.shutdownNow();
    clear();
    synchronized (meters) {
      meters.forEach(registry::remove);
      meters.clear();
    }
  }
}
