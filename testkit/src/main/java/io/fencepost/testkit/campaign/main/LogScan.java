package io.fencepost.testkit.campaign.main;

import io.fencepost.testkit.campaign.client.Recorder;
import io.fencepost.testkit.history.LogEvents;
import io.fencepost.testkit.history.Shrinking;
import java.nio.file.Path;

/** Reads the logs of one stopped broker in order, and writes down what transactions left there. */
final class LogScan {
  private final StoppedLogs logs;
  private final LogEvents events;

  LogScan(Path broker, Recorder recorder) {
    this.logs = new StoppedLogs(broker, recorder);
    this.events =
        new LogEvents(
            StoppedLogs::transactions,
            partition -> !Shrinking.includes(partition),
            recorder::add,
            recorder::trouble);
  }

  void run() {
    logs.walk(partition -> !Shrinking.includes(partition), events::take);
  }
}
