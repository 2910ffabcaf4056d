package io.fencepost.samples.jobs;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Runs one job until the process is asked to end: what the main classes here have in common.
 * Arguments are settings, as {@code bootstrap.servers=localhost:9092}.
 */
public final class SampleMain {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

  private SampleMain() {}

  /** Runs the job and exits: 0 if it was stopped, 1 if it ended by itself. */
  static void run(Job job, String... settings) throws InterruptedException {
    JobConfig config = config(settings);
    createTopics(job, config);
    System.out.println(job.describe() + job.guarantee(config));
    JobHandle handle = job.start(config);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> handle.stop(STOP_TIMEOUT)));
    JobEnd end = handle.await();
    System.out.println(end.reason() + ": " + end.detail());
    System.exit(end.isClean() ? 0 : 1);
  }

  private static JobConfig config(String... settings) {
    TreeMap<String, String> config = new TreeMap<>(Map.of("bootstrap.servers", "localhost:9092"));
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(setting + " is no setting; write key=value");
      }
      config.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return JobConfig.of(config);
  }

  /** A job never makes the user's topics; a sample does, with as many partitions as is usual. */
  public static void createTopics(Job job, JobConfig config) {
    TreeSet<String> names = new TreeSet<>(job.sourceTopics());
    names.addAll(job.sinkTopics());
    Optional.ofNullable(job.deadLetterTopic()).ifPresent(names::add);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", config.bootstrapServers()))) {
      names.removeAll(admin.listTopics().names().get());
      List<NewTopic> missing = new ArrayList<>();
      for (String name : names) {
        missing.add(new NewTopic(name, Optional.empty(), Optional.empty()));
      }
      admin.createTopics(missing).all().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while topics were created", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("topics " + names + " were not created", e);
    }
  }
}
