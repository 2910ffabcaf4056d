package io.fencepost.broker.replica;

import io.fencepost.broker.wire.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Follows one leader of one partition through one term: asks for what comes next, gives it to the
 * partition, asks again. At most one question is on its way; a follower that has everything waits
 * at its leader and costs nothing.
 *
 * <p>Driven by whoever brings an answer, by the scheduler after a pause, or by a force that ended;
 * never under a lock. Ends by itself when the partition's term has changed.
 */
final class FollowerLoop {
  private static final int MAX_BYTES = 1 << 20;

  /** After so many answers that came at once somebody else gets the thread. */
  private static final int TURNS = 16;

  private static final long FIRST_PAUSE_MS = 20;
  private static final long LONGEST_PAUSE_MS = 500;

  private final PartitionGate gate;
  private final ReplicaWorld world;
  private final int leader;
  private final int leaderEpoch;
  private long pauseMs = FIRST_PAUSE_MS;

  FollowerLoop(PartitionGate gate, ReplicaWorld world, int leader, int leaderEpoch) {
    this.gate = gate;
    this.world = world;
    this.leader = leader;
    this.leaderEpoch = leaderEpoch;
  }

  void start() {
    world.scheduler().run(this::run);
  }

  private void run() {
    for (int turn = 0; turn < TURNS; turn++) {
      FollowerFetch fetch = gate.replication().nextFetch(leaderEpoch, MAX_BYTES, this::start);
      if (fetch == null) {
        return;
      }
      Exchange exchange = new Exchange();
      TopicPartition topicPartition = gate.topicPartition();
      world
          .peers()
          .<FollowerAnswer>ask(
              leader,
              (peer, reply) -> peer.replicas().serve(topicPartition, fetch, reply),
              exchange::answered,
              this::pause);
      FollowerAnswer answer = exchange.answerAtOnce();
      if (answer == null || !take(answer)) {
        return;
      }
    }
    start();
  }

  /** Whether to ask on at once; if not, whatever is waited for will. */
  private boolean take(FollowerAnswer answer) {
    FollowerStep step = gate.replication().onAnswer(leaderEpoch, answer, this::start);
    if (step == FollowerStep.PAUSE) {
      pause();
    } else if (step != FollowerStep.OVER) {
      pauseMs = FIRST_PAUSE_MS;
    }
    return step == FollowerStep.ASK_ON;
  }

  private void pause() {
    long waitMs = pauseMs;
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    var unused = world.scheduler().after(waitMs, this::run);
  }

  /** One question: its answer comes while it is asked, or later and from elsewhere. */
  private final class Exchange {
    private @Nullable FollowerAnswer answerAtOnce;
    private boolean isLater;

    void answered(FollowerAnswer answer) {
      long delayMs = world.peers().lagMs();
      if (delayMs > 0) {
        var unused = world.scheduler().after(delayMs, () -> arrived(answer));
      } else {
        arrived(answer);
      }
    }

    private void arrived(FollowerAnswer answer) {
      synchronized (this) {
        if (!isLater) {
          answerAtOnce = answer;
          return;
        }
      }
      if (take(answer)) {
        run();
      }
    }

    /** Null if there is none yet: then whoever brings it goes on. */
    synchronized @Nullable FollowerAnswer answerAtOnce() {
      isLater = true;
      return answerAtOnce;
    }
  }
}
