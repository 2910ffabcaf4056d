package io.fencepost.testkit.jobs;

import io.fencepost.streams.JobConfig;
import io.fencepost.testkit.main.JavaProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** The dedup job in a process of its own, to be killed. */
final class JobProcess {
  private JobProcess() {}

  /** Further settings as {@code key=value}; one without a value has its default. */
  static Process start(String bootstrapServers, String prefix, Path stateDir, String... settings)
      throws IOException {
    List<Object> arguments = new ArrayList<>(List.of(bootstrapServers, prefix, stateDir));
    arguments.addAll(List.of(settings));
    return JavaProcess.of(JobProcess.class, arguments.toArray())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  public static void main(String[] args) throws InterruptedException {
    // Small cycles, so that the kill falls into one of many.
    Map<String, Object> settings =
        new HashMap<>(
            Map.of(
                "bootstrap.servers",
                args[0],
                "state.dir",
                args[2],
                "heartbeat.interval.ms",
                300,
                "commit.max.records",
                50,
                "consumer.max.poll.records",
                50,
                "session.timeout.ms",
                3_000));
    for (String setting : List.of(args).subList(3, args.length)) {
      int equals = setting.indexOf('=');
      String key = setting.substring(0, equals);
      settings.put(key, setting.substring(equals + 1));
      settings.remove(key, "");
    }
    var unused =
        JobBehaviour.dedup(args[1], payment -> LockSupport.parkNanos(1_000_000)) // slow code
            .start(JobConfig.of(settings))
            .await();
  }
}
