package io.fencepost.txn.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.replica.MarkerRequest;
import io.fencepost.broker.replica.PartitionConfig;
import io.fencepost.broker.replica.Peer;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.replica.TransactionGate;
import io.fencepost.broker.replica.TransactionGate.AdmitRequest;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Markers and admissions on their way to the broker that leads, as broker 1 sends them. */
class ClusterRoutesTest {
  private static final TopicPartition DATA = new TopicPartition("data", 0);
  private static final MarkerRequest MARKER = new MarkerRequest(7, (short) 3, true, 5, 2);
  private static final PartitionConfig CONFIG = PartitionConfig.defaults(FlushPolicy.OS);

  private final SimScheduler scheduler = new SimScheduler(new SimClock(), new SimEntropy(1));
  private final FakePeers peers = new FakePeers();
  private final List<WireError> answers = new ArrayList<>();
  private final List<SortedMap<TopicPartition, WireError>> verdicts = new ArrayList<>();
  private ClusterState state = ClusterState.empty("c", 1);

  private void leads(String topic, int leader) {
    PartitionState partition = new PartitionState(0, leader, 0, List.of(1, 2, 3), List.of(1, 2, 3));
    state =
        state.withTopics(
            List.of(
                new TopicState(
                    topic,
                    new Uuid(1, topic.hashCode()),
                    false,
                    List.of(partition),
                    new TreeMap<>())));
  }

  private Replicas replicas(boolean withData) {
    Replicas replicas = new Replicas(new SimDisk(new SimEntropy(2)), new SimClock(), scheduler);
    if (withData) {
      replicas.open(DATA, new Uuid(1, DATA.topic().hashCode()), 0, CONFIG);
    }
    return replicas;
  }

  private void mark(Replicas own) {
    LocalMarkers local = new LocalMarkers(() -> state, own);
    new ClusterMarkers(1, () -> state, local, peers).write(DATA, MARKER, answers::add);
    scheduler.runFor(100);
  }

  @Test
  void a_marker_goes_to_the_leader_that_the_view_names_now() {
    Replicas there = replicas(true);
    peers.brokers.put(2, new Peer(there, null));
    leads("data", 2);
    mark(replicas(false));
    assertThat(answers).containsExactly(WireError.NONE);
    assertThat(there.find(DATA).logEndOffset()).isEqualTo(1);
    leads("data", 1);
    Replicas own = replicas(true);
    mark(own);
    assertThat(answers).containsExactly(WireError.NONE, WireError.NONE);
    assertThat(own.find(DATA).logEndOffset()).isEqualTo(1);
    assertThat(peers.asked).containsExactly(2);
  }

  @Test
  void only_a_deleted_partition_owes_nothing() {
    mark(replicas(false));
    leads("data", PartitionState.NO_LEADER);
    mark(replicas(false));
    leads("data", 3);
    mark(replicas(false));
    peers.brokers.put(3, new Peer(replicas(false), null));
    mark(replicas(false));
    leads("data", 1);
    mark(replicas(false));
    assertThat(answers)
        .containsExactly(
            WireError.UNKNOWN_TOPIC_OR_PARTITION,
            WireError.LEADER_NOT_AVAILABLE,
            WireError.NETWORK_EXCEPTION,
            WireError.NOT_LEADER_OR_FOLLOWER,
            WireError.NOT_LEADER_OR_FOLLOWER);
  }

  @Test
  void a_marker_whose_answer_was_lost_is_repeated_without_harm() {
    Replicas there = replicas(true);
    peers.brokers.put(2, new Peer(there, null));
    leads("data", 2);
    peers.losesAnswers = true;
    mark(replicas(false));
    peers.losesAnswers = false;
    mark(replicas(false));
    assertThat(answers).containsExactly(WireError.NETWORK_EXCEPTION, WireError.NONE);
    assertThat(there.find(DATA).lastStableOffset()).isEqualTo(there.find(DATA).logEndOffset());
  }

  private void admit(TransactionGate own) {
    new RoutedTransactions(1, () -> state, own, peers)
        .admit(new AdmitRequest("id", 7, (short) 3, List.of(DATA), true), verdicts::add);
  }

  private static TransactionGate says(WireError error) {
    return (request, answer) -> answer.accept(RoutedTransactions.all(request.partitions(), error));
  }

  private WireError verdict() {
    assertThat(verdicts).hasSize(1);
    return verdicts.remove(0).get(DATA);
  }

  @Test
  void the_coordinator_of_the_id_is_asked_here_or_there() {
    leads(TxnCoordinator.TOPIC, 1);
    admit(says(WireError.NONE));
    assertThat(verdict()).isEqualTo(WireError.NONE);
    leads(TxnCoordinator.TOPIC, 2);
    peers.brokers.put(2, new Peer(replicas(false), says(WireError.INVALID_PRODUCER_EPOCH)));
    admit(says(WireError.NONE));
    assertThat(verdict()).isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
  }

  @Test
  void a_coordinator_that_cannot_be_asked_is_asked_again_later() {
    admit(says(WireError.NONE));
    assertThat(verdict()).as("no topic yet").isEqualTo(WireError.COORDINATOR_NOT_AVAILABLE);
    leads(TxnCoordinator.TOPIC, PartitionState.NO_LEADER);
    admit(says(WireError.NONE));
    assertThat(verdict()).isEqualTo(WireError.COORDINATOR_NOT_AVAILABLE);
    leads(TxnCoordinator.TOPIC, 2);
    admit(says(WireError.NONE));
    assertThat(verdict()).as("not reached").isEqualTo(WireError.COORDINATOR_NOT_AVAILABLE);
    peers.brokers.put(2, new Peer(replicas(false), says(WireError.NONE)));
    peers.losesAnswers = true;
    admit(says(WireError.NONE));
    assertThat(verdict()).as("answer lost").isEqualTo(WireError.COORDINATOR_NOT_AVAILABLE);
    peers.losesAnswers = false;
    peers.brokers.put(2, new Peer(replicas(false), null));
    admit(says(WireError.NONE));
    assertThat(verdict()).as("has none").isEqualTo(WireError.COORDINATOR_NOT_AVAILABLE);
  }
}
