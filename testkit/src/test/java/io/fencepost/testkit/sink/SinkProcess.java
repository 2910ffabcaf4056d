package io.fencepost.testkit.sink;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A sink in a process of its own, to be killed. */
final class SinkProcess {
  private SinkProcess() {}

  static Process start(String bootstrapServers, String prefix, String url) throws IOException {
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SinkProcess.class.getName(),
                bootstrapServers,
                prefix,
                url))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  public static void main(String[] args) throws InterruptedException {
    // Slow code and small batches, so that the kill falls into one of many.
    var unused =
        SinkBehaviour.sink(
                args[1],
                TestDatabase.source(args[2]),
                (connection, message) -> {
                  LockSupport.parkNanos(1_000_000);
                  SinkBehaviour.insert(connection, message);
                })
            .start(SinkBehaviour.config(args[0]).with("consumer.max.poll.records", 50))
            .await();
  }
}
