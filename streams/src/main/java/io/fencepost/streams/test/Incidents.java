package io.fencepost.streams.test;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** What a test has ordered to happen next. */
final class Incidents implements Interference {
  /** More than {@code delivery.timeout.ms}: so long takes a worker to see that no answer comes. */
  private static final long ANSWER_LOST_MS = 120_000;

  /** The process is gone; only cluster and disk are left. */
  static final class Death extends Error {
    Death(Point point) {
      super("the process died " + point);
    }
  }

  private final VirtualClock clock;
  private final Map<Point, Integer> deaths = new EnumMap<>(Point.class);
  private int aborts;
  private int lostAnswers;
  private boolean takesPartitions;

  Incidents(VirtualClock clock) {
    this.clock = clock;
  }

  void dieAt(Point point, int time) {
    deaths.put(point, time);
  }

  void abortNext() {
    aborts++;
  }

  void loseNextAnswer() {
    lostAnswers++;
  }

  void takePartitions() {
    takesPartitions = true;
  }

  @Override
  public void before(Call call) {
    if (call == Call.STAGE && aborts > 0) {
      aborts--;
      throw new CommitFailedException("the test lets this transaction abort");
    }
    die(call, false);
  }

  @Override
  public void after(Call call) {
    die(call, true);
    if (call == Call.COMMIT && lostAnswers > 0) {
      lostAnswers--;
      clock.pass(ANSWER_LOST_MS);
      throw new KafkaException("the answer to the commit was lost");
    }
  }

  private void die(Call call, boolean isAfter) {
    for (Point point : Point.values()) {
      Integer left = deaths.get(point);
      if (point.call == call && point.isAfter == isAfter && left != null) {
        if (left > 1) {
          deaths.put(point, left - 1);
        } else {
          deaths.remove(point);
          throw new Death(point);
        }
      }
    }
  }

  @Override
  public Taken taken(List<TopicPartition> assigned) {
    boolean now = takesPartitions;
    takesPartitions = false;
    return now ? new Taken(assigned, false) : Taken.NONE;
  }

  @Override
  public void waited(long timeoutMs) {
    clock.pass(timeoutMs);
  }
}
