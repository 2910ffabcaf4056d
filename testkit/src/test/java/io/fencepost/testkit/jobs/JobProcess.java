package io.fencepost.testkit.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The dedup job in a process of its own, to be killed. */
final class JobProcess {
  private JobProcess() {}

  static Process start(String bootstrapServers, String prefix, Path stateDir) throws IOException {
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                JobProcess.class.getName(),
                bootstrapServers,
                prefix,
                stateDir.toString()))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  public static void main(String[] args) throws InterruptedException {
    // Slow code and small cycles, so that the kill falls into one of many.
    var unused =
        JobBehaviour.dedup(args[1], payment -> LockSupport.parkNanos(1_000_000))
            .start(
                JobBehaviour.config(args[0], Path.of(args[2]))
                    .with("commit.max.records", 50)
                    .with("consumer.max.poll.records", 50)
                    .with("session.timeout.ms", 3_000))
            .await();
  }
}
