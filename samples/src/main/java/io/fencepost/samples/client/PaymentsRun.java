package io.fencepost.samples.client;

import io.fencepost.samples.dedup.PaymentDedupJob;
import io.fencepost.samples.dedup.PaymentTopics;
import io.fencepost.samples.payment.DedupKey;
import io.fencepost.samples.payment.Delivery;
import io.fencepost.samples.payment.InputFold;
import io.fencepost.samples.payment.Outcome;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.JobStartException;
import io.fencepost.testkit.main.TemporaryDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * One run from publishing to reading back: creates the topics, starts the job, publishes while it
 * works, waits until it has committed all input, stops it, and reads what it left behind.
 */
public final class PaymentsRun {
  private static final Duration CAUGHT_UP_CHECK = Duration.ofMillis(50);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration STOP = Duration.ofSeconds(30);
  private static final int PARTITIONS = 4;

  private final Session session;
  private final Options options;
  private final Progress progress;
  private final PaymentTopics topics;
  private final Job job;
  private final String application;

  /** What the run can be asked to do. */
  public record Options(DedupKey dedupKey, int workers, String run, boolean keepTopics) {}

  /** Told how far the run is; {@code total} is 0 while nobody knows. */
  public interface Progress {
    void show(String what, long done, long total);
  }

  /** What came of it. {@code elapsed} is from the first record published to the last committed. */
  public record Result(
      InputFold input, Outcome output, JobCounts counts, Duration elapsed, String guarantee) {}

  /** A run on this session's cluster. */
  public PaymentsRun(Session session, Options options, Progress progress) {
    this.session = session;
    this.options = options;
    this.progress = progress;
    this.topics = PaymentTopics.withSuffix(session.name("", options.run()));
    this.application = session.name("payment-dedup", options.run());
    this.job = PaymentDedupJob.define(application, topics);
  }

  /** Runs it on these deliveries. */
  public Result run(Iterator<Delivery> deliveries) {
    session.cluster().createTopics(topics.names(), Math.max(PARTITIONS, options.workers()));
    try (TemporaryDirectory state = TemporaryDirectory.create("fencepost-payments")) {
      return run(deliveries, state.path());
    } finally {
      if (!options.keepTopics() && !session.isEmbedded()) {
        List<String> names = new ArrayList<>(topics.names());
        names.add(changelog());
        session.cluster().deleteTopics(names);
        session.cluster().deleteGroups(List.of(application));
      }
    }
  }

  private Result run(Iterator<Delivery> deliveries, Path stateDir) {
    String bootstrap = session.cluster().bootstrap();
    Map<String, Object> settings = new TreeMap<>();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("num.stream.threads", options.workers());
    settings.put("state.dir", stateDir);
    JobHandle handle = start(settings);
    try {
      long begun = System.nanoTime();
      InputFold input =
          PaymentPublisher.publish(
              bootstrap,
              topics.payments(),
              deliveries,
              options.dedupKey(),
              count -> progress.show("published", count, 0));
      awaitAllCommitted(handle, input.deliveries());
      Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
      JobEnd end = handle.stop(STOP);
      if (!end.isClean()) {
        throw new KafkaException(
            "the job did not stop cleanly: " + end.detail() + " " + end.left());
      }
      return new Result(
          input, readOutcome(bootstrap), handle.counts(), elapsed, handle.guarantee());
    } finally {
      handle.stop(STOP);
    }
  }

  private JobHandle start(Map<String, Object> settings) {
    try {
      return job.start(JobConfig.of(settings));
    } catch (JobStartException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
  }

  private void awaitAllCommitted(JobHandle handle, long total) {
    Map<TopicPartition, Long> ends = session.cluster().endOffsets(topics.payments());
    long best = 0;
    long movedAt = System.nanoTime();
    while (true) {
      Map<TopicPartition, Long> committed = session.cluster().committed(application);
      long done = 0;
      boolean caughtUp = true;
      for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
        long offset = committed.getOrDefault(end.getKey(), 0L);
        done += offset;
        caughtUp &= offset >= end.getValue();
      }
      if (caughtUp) {
        return;
      }
      progress.show("processed", done, total);
      long now = System.nanoTime();
      if (done > best) {
        best = done;
        movedAt = now;
      } else if (now - movedAt > PATIENCE.toNanos()) {
        throw new KafkaException(
            "the job committed nothing for %ds: %,d of %,d deliveries are done"
                .formatted(PATIENCE.toSeconds(), done, total));
      }
      failIfEnded(handle);
    }
  }

  private static void failIfEnded(JobHandle handle) {
    try {
      JobEnd end = handle.await(CAUGHT_UP_CHECK);
      if (end != null) {
        throw new KafkaException("the job ended early: " + end.detail(), end.cause());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptException(e);
    }
  }

  private Outcome readOutcome(String bootstrap) {
    progress.show("read back " + topics.charges(), 0, 0);
    return PaymentOutcome.read(bootstrap, topics, changelog());
  }

  private String changelog() {
    return job.stores().get(0).changelogTopic(application);
  }
}
