package io.fencepost.broker.replica;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.LogConfig;
import io.fencepost.broker.log.LogView;
import io.fencepost.broker.log.SegmentWalk;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.testing.BrokerSteps;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One partition on three simulated brokers, with a test in the role of the controller. Brokers are
 * 1, 2 and 3; broker 1 leads first.
 */
final class Trio {
  static final TopicPartition ORDERS = new TopicPartition("orders", 0);
  static final Uuid TOPIC_ID = new Uuid(1, 2);
  static final long LAG_MS = 1_000;
  private static final long NANOS_PER_MS = 1_000_000;

  final SimClock clock = new SimClock();
  final SimEntropy entropy;
  final SimScheduler scheduler;
  final Links links;
  final TreeMap<Integer, SimDisk> disks = new TreeMap<>();
  final TreeMap<Integer, Replicas> brokers = new TreeMap<>();
  final List<IsrProposal> refused = new ArrayList<>();
  final List<String> notices = new ArrayList<>();
  PartitionConfig config;
  PartitionState state = new PartitionState(0, 1, 0, List.of(1, 2, 3), List.of(1, 2, 3));
  boolean acceptsProposals = true;

  Trio(FlushPolicy flush, int minIsr, long seed) {
    entropy = new SimEntropy(seed);
    scheduler = new SimScheduler(clock, entropy.named("scheduler"));
    links = new Links();
    config =
        PartitionConfig.defaults(flush)
            .withLog(LogConfig.defaults().withSegmentBytes(2000).withIndex(200, 1 << 20))
            .withMinInsyncReplicas(minIsr);
    for (int id = 1; id <= 3; id++) {
      disks.put(id, new SimDisk(entropy.named("disk " + id)));
      start(id);
    }
    settle();
  }

  void start(int id) {
    ReplicaWorld world =
        new ReplicaWorld(
            id,
            () -> 7,
            clock,
            scheduler,
            links.of(id),
            this::propose,
            () -> LAG_MS * NANOS_PER_MS,
            notices::add,
            Meters.NONE,
            BrokerSteps.NONE);
    Replicas replicas = new Replicas(disks.get(id), world);
    brokers.put(id, replicas);
    links.join(id, new Peer(replicas, null));
    replicas.open(ORDERS.topic(), TOPIC_ID, List.of(state), config);
  }

  private void propose(IsrProposal proposal, Consumer<WireError> no) {
    if (acceptsProposals
        && proposal.leaderEpoch() == state.leaderEpoch()
        && proposal.expected().equals(state.isr())) {
      publish(decided(proposal));
    } else {
      refused.add(proposal);
      no.accept(WireError.INVALID_REQUEST);
    }
  }

  /** A leader that asks without itself is relieved by the first of the others. */
  private PartitionState decided(IsrProposal proposal) {
    boolean resigns = !proposal.wanted().contains(state.leader());
    return new PartitionState(
        0,
        resigns ? proposal.wanted().get(0) : state.leader(),
        state.leaderEpoch() + (resigns ? 1 : 0),
        state.replicas(),
        proposal.wanted());
  }

  /** Tells those who are alive and reached. */
  void publish(PartitionState next) {
    state = next;
    brokers.forEach(
        (id, replicas) -> {
          if (!links.isCut(id, 0)) {
            replicas.open(ORDERS.topic(), TOPIC_ID, List.of(next), config);
          }
        });
  }

  void elect(int leader, Integer... isr) {
    publish(new PartitionState(0, leader, state.leaderEpoch() + 1, state.replicas(), List.of(isr)));
    settle();
  }

  /** The process dies; what it had not forced survives if power does. */
  void kill(int id, boolean power) {
    links.leave(id);
    brokers.remove(id);
    if (power) {
      disks.get(id).kill();
    } else {
      disks.get(id).crash();
    }
  }

  PartitionGate gate(int id) {
    return brokers.get(id).find(ORDERS);
  }

  PartitionGate leader() {
    return gate(state.leader());
  }

  List<AppendResult> send(ByteBuffer records, int acks) {
    return send(state.leader(), records, acks);
  }

  List<AppendResult> send(int broker, ByteBuffer records, int acks) {
    List<AppendResult> results = new ArrayList<>();
    gate(broker).append(new AppendRequest(records, (short) acks, 30_000, null), results::add).run();
    return results;
  }

  /** Lets everything happen that is due now, and a little more. */
  void settle() {
    scheduler.runFor(600);
  }

  void runFor(long ms) {
    for (long left = ms; left > 0; left -= 100) {
      scheduler.runFor(Math.min(100, left));
      brokers.values().forEach(Replicas::checkLag);
    }
    settle();
  }

  /** All bytes of a replica's log below this offset, as they are on its disk. */
  byte[] bytes(int id, long endOffset) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    LogView log = new LogView(disks.get(id), ORDERS.toString());
    for (long segment : log.segments()) {
      SegmentWalk walk = log.walk(segment);
      while (walk.next()) {
        BatchView batch = walk.whole();
        if (batch.nextOffset() <= endOffset) {
          byte[] one = new byte[batch.sizeBytes()];
          batch.buffer().get(batch.position(), one);
          out.writeBytes(one);
        }
      }
      walk.close();
    }
    return out.toByteArray();
  }
}
