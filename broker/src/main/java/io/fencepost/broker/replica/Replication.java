package io.fencepost.broker.replica;

import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.ReplicaEnd;
import io.fencepost.broker.log.LeaderEpochs;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A gate's part in replication, as leader and as follower: shares its gate's lock. Thread-safe;
 * called under no lock of a partition, and runs itself what it brings about.
 */
final class Replication {
  private static final long RETRY_MS = 200;
  private static final int NOT_RESIGNED = -1;

  private final PartitionGate gate;
  private final Partition partition;
  private final FollowerService service;
  private final FollowerLog follower;
  private final ReplicaWorld world;

  /** Of the term that this broker asked to be relieved of. */
  private int resignedEpoch = NOT_RESIGNED;

  Replication(PartitionGate gate, Partition partition, PartitionReads reads, ReplicaWorld world) {
    this.gate = gate;
    this.partition = partition;
    this.world = world;
    this.service = new FollowerService(partition, reads, world.clock());
    this.follower = new FollowerLog(partition, world.notices());
    partition.followers().serveBy(waiting -> serve(waiting.fetch(), waiting.reply()));
  }

  /** Starts to follow, if another broker leads already; to be called once after the opening. */
  void start() {
    follow(state());
  }

  /** The controller has decided how the partition is from now on. */
  void become(PartitionState state) {
    Effects effects = new Effects();
    boolean isNewTerm;
    synchronized (gate) {
      isNewTerm = state.leaderEpoch() > partition.leaderEpoch();
      partition.become(state, effects);
      gate.afterAppend(Partition.INTERNAL_TIMEOUT_MS);
      proposeChange();
    }
    effects.run();
    if (isNewTerm) {
      follow(state);
    }
  }

  private void follow(PartitionState state) {
    if (state.leader() != world.brokerId() && state.leader() != PartitionState.NO_LEADER) {
      new FollowerLoop(gate, world, state.leader(), state.leaderEpoch()).start();
    }
  }

  private PartitionState state() {
    synchronized (gate) {
      return partition.state();
    }
  }

  /**
   * How far the log goes.
   *
   * @param isDamaged whether it is known to have been more
   */
  ReplicaEnd end(boolean isDamaged) {
    synchronized (gate) {
      return new ReplicaEnd(partition.log().lastEpoch(), partition.log().endOffset(), isDamaged);
    }
  }

  /** A follower asks; it is answered when there is something for it. */
  void serve(FollowerFetch fetch, Peers.Reply<FollowerAnswer> reply) {
    Effects effects = new Effects();
    WaitingFollowers.Waiting waiting = new WaitingFollowers.Waiting(fetch, reply);
    FollowerAnswer answer;
    synchronized (gate) {
      answer = service.serve(fetch, effects);
      if (answer == null) {
        partition.followers().add(waiting);
      }
      proposeChange();
    }
    effects.run();
    if (answer == null) {
      reply.onLost(() -> onLost(waiting));
    } else {
      reply.send(answer);
    }
  }

  /** From now on that follower lags. */
  private void onLost(WaitingFollowers.Waiting waiting) {
    synchronized (gate) {
      if (partition.followers().remove(waiting) && partition.isLeader()) {
        partition
            .tracker()
            .onWaiting(waiting.fetch().followerId(), false, world.clock().monotonicNanos());
      }
    }
  }

  /**
   * What to ask the leader for; null if this is no follower in that epoch any more, or if what it
   * would say that it has is not safe yet: the leader counts on that.
   *
   * @param again runs when it is safe
   */
  @Nullable FollowerFetch nextFetch(int leaderEpoch, int maxBytes, Runnable again) {
    synchronized (gate) {
      if (!partition.isFollowerIn(leaderEpoch)) {
        return null;
      }
      if (!partition.isSafe()) {
        partition.whenSafe(again);
        return null;
      }
      LeaderEpochs epochs = partition.log().leaderEpochs();
      return new FollowerFetch(
          world.brokerId(),
          world.brokerEpoch().getAsLong(),
          leaderEpoch,
          partition.log().endOffset(),
          epochs.latestEpoch(),
          partition.highWatermark(),
          partition.log().startOffset(),
          maxBytes);
    }
  }

  /**
   * The leader has answered.
   *
   * @param next runs when what has come is safe, if the answer to that is WHEN_SAFE
   */
  FollowerStep onAnswer(int leaderEpoch, FollowerAnswer answer, Runnable next) {
    Effects effects = new Effects();
    FollowerStep step;
    synchronized (gate) {
      step = take(leaderEpoch, answer, next, effects);
      gate.afterAppend(Partition.INTERNAL_TIMEOUT_MS);
    }
    effects.run();
    return step;
  }

  private FollowerStep take(
      int leaderEpoch, FollowerAnswer answer, Runnable next, Effects effects) {
    if (!partition.isFollowerIn(leaderEpoch)) {
      return FollowerStep.OVER;
    }
    if (partition.brokenBy() != null) {
      return FollowerStep.PAUSE;
    }
    try {
      if (answer.error() == WireError.OFFSET_OUT_OF_RANGE) {
        follower.restartAt(answer.logStart());
      } else if (answer.error() != WireError.NONE) {
        return FollowerStep.PAUSE;
      } else if (answer.diverging() != null) {
        follower.cut(answer.diverging());
      } else {
        if (answer.records().hasRemaining()) {
          follower.append(answer.records());
        }
        follower.follow(answer.highWatermark(), answer.logStart(), effects);
      }
    } catch (DiskException | MalformedBatchException refused) {
      world
          .notices()
          .accept("Broker " + world.brokerId() + " cannot follow: " + refused.getMessage());
      return FollowerStep.PAUSE;
    }
    if (partition.isSafe()) {
      return FollowerStep.ASK_ON;
    }
    partition.whenSafe(next);
    return FollowerStep.WHEN_SAFE;
  }

  /** Looks for followers that lag or have caught up; call it a few times in the lag time. */
  void checkLag() {
    synchronized (gate) {
      proposeChange();
    }
  }

  /** Under the lock. */
  private void proposeChange() {
    if (!partition.isLeader() || partition.brokenBy() != null) {
      return;
    }
    IsrTracker.Change change =
        partition
            .tracker()
            .dueChange(
                partition.highWatermark(),
                world.clock().monotonicNanos(),
                world.lagNanos().getAsLong());
    if (change != null) {
      IsrTracker tracker = partition.tracker();
      IsrProposal proposal =
          new IsrProposal(
              partition.topicPartition(),
              partition.leaderEpoch(),
              change.expected(),
              change.wanted(),
              change.brokerEpochs());
      propose(proposal, () -> tracker.onRefused(change));
    }
  }

  /** May be called under the lock; {@code forget} runs under it. */
  private void propose(IsrProposal proposal, Runnable forget) {
    world
        .scheduler()
        .run(
            () -> world.proposals().propose(proposal, error -> onRefused(proposal, error, forget)));
  }

  private void onRefused(IsrProposal proposal, WireError error, Runnable forget) {
    Effects effects = new Effects();
    synchronized (gate) {
      if (error == WireError.INELIGIBLE_REPLICA) {
        proposal.brokerEpochs().keySet().forEach(id -> partition.followers().askAnew(id, effects));
      }
    }
    effects.run();
    // Not at once: it may be refused for as long as the controller is not reached.
    var unused = world.scheduler().after(RETRY_MS, () -> retry(forget));
  }

  private void retry(Runnable forget) {
    Effects effects = new Effects();
    synchronized (gate) {
      forget.run();
      partition.advance(effects);
      resignIfBroken();
      proposeChange();
    }
    effects.run();
  }

  /**
   * Under the lock. Who leads several replicas must not cut its log in the middle of its term when
   * the disk refuses something, as the others have the rest: it asks to be relieved. So does who
   * cannot append while another one in sync may.
   */
  void resignIfBroken() {
    boolean isUnfit = partition.mustResign() || partition.shouldResign();
    if (!isUnfit || resignedEpoch == partition.leaderEpoch()) {
      return;
    }
    PartitionState state = partition.state();
    resignedEpoch = state.leaderEpoch();
    List<Integer> others = state.isr().stream().filter(id -> id != world.brokerId()).toList();
    IsrProposal resignation =
        new IsrProposal(
            partition.topicPartition(), state.leaderEpoch(), state.isr(), others, new TreeMap<>());
    propose(resignation, () -> resignedEpoch = NOT_RESIGNED);
  }

  /** Goes on after the disk has refused something, unless it takes another term to do so. */
  void repair() {
    Effects effects = new Effects();
    synchronized (gate) {
      if (!partition.mustResign()) {
        partition.repair(effects);
      }
      gate.afterAppend(Partition.INTERNAL_TIMEOUT_MS);
    }
    effects.run();
  }
}
