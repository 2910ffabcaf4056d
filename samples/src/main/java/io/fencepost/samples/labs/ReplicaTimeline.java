package io.fencepost.samples.labs;

import io.fencepost.samples.report.Table;
import io.fencepost.txn.main.FencepostCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What happened to partition 0 of a topic, and how its replicas stood after each step. Not thread
 * safe.
 */
final class ReplicaTimeline {
  private static final int NOBODY = -1;

  private final String topic;
  private final Table table =
      new Table("STEP", "WHAT HAPPENS", "ANSWER", "LEADER", "ISR", "HW", "LOG ENDS");
  private int step;

  ReplicaTimeline(String topic) {
    this.topic = topic;
  }

  Table table() {
    return table;
  }

  void note(FencepostCluster brokers, String what, String answer) {
    int leader = brokers.leaderOf(topic, 0);
    boolean isLed = leader != NOBODY;
    step++;
    table.row(
        Integer.toString(step),
        what,
        answer,
        isLed ? Integer.toString(leader) : "nobody",
        brokers.isr(topic, 0).stream().map(String::valueOf).collect(Collectors.joining(" ")),
        isLed ? Long.toString(brokers.highWatermark(topic, 0)) : "-",
        logEnds(brokers));
  }

  /** Broker by broker; a dash for one that is down. */
  private String logEnds(FencepostCluster brokers) {
    List<String> ends = new ArrayList<>();
    for (int broker : brokers.brokers()) {
      boolean isUp = brokers.running().contains(broker);
      ends.add(broker + ":" + (isUp ? brokers.logEnd(topic, 0, broker) : "-"));
    }
    return String.join(" ", ends);
  }
}
