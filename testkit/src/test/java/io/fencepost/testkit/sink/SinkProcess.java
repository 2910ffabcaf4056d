package io.fencepost.testkit.sink;

import io.fencepost.testkit.main.JavaProcess;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** A sink in a process of its own, to be killed. */
final class SinkProcess {
  private SinkProcess() {}

  static Process start(String bootstrapServers, String prefix, String url) throws IOException {
    return JavaProcess.of(SinkProcess.class, bootstrapServers, prefix, url)
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
