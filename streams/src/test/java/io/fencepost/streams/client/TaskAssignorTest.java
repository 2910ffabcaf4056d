package io.fencepost.streams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.Job;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.task.JobPlan;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class TaskAssignorTest {
  private static final Node NODE = new Node(1, "localhost", 9092);
  private final TaskAssignor assignor = assignor(Map::of);

  @Test
  void equal_partition_numbers_of_all_topics_go_together() {
    Map<String, List<TopicPartition>> given = assign(Map.of("m1", owns(1), "m2", owns(1)));
    assertThat(given.get("m1")).containsExactlyInAnyOrder(in("a", 0), in("b", 0));
    assertThat(given.get("m2")).containsExactlyInAnyOrder(in("a", 1), in("b", 1));
  }

  @Test
  void a_task_that_moves_is_first_given_up_and_then_taken() {
    Subscription full = owns(3, in("a", 0), in("b", 0), in("a", 1), in("b", 1));
    Map<String, List<TopicPartition>> first = assign(Map.of("m1", full, "m2", owns(-1)));
    assertThat(first.get("m1")).containsExactlyInAnyOrder(in("a", 0), in("b", 0));
    assertThat(first.get("m2")).as("still worked on by m1").isEmpty();
    Subscription less = owns(4, in("a", 0), in("b", 0));
    Map<String, List<TopicPartition>> second = assign(Map.of("m1", less, "m2", owns(4)));
    assertThat(second.get("m2")).containsExactlyInAnyOrder(in("a", 1), in("b", 1));
  }

  @Test
  void who_missed_a_generation_owns_nothing_any_more() {
    Subscription late = owns(3, in("a", 0), in("b", 0), in("a", 1), in("b", 1));
    Subscription owner = owns(5, in("a", 0), in("b", 0), in("a", 1), in("b", 1));
    Map<String, List<TopicPartition>> given = assign(Map.of("m1", late, "m2", owner));
    assertThat(given.get("m2")).containsExactlyInAnyOrder(in("a", 0), in("b", 0));
    assertThat(given.get("m1")).as("m2 has to give it up first").isEmpty();
  }

  @Test
  void copies_of_state_travel_in_the_user_data() {
    Map<TaskId, Long> copies = Map.of(new TaskId("a", 1), 5L, new TaskId("z-9", 0), 1L << 40);
    TaskAssignor member = assignor(() -> copies);
    ByteBuffer data = member.subscriptionUserData(Set.of("a"));
    assertThat(TaskAssignor.decode(data)).isEqualTo(new TreeMap<>(copies));
    assertThat(TaskAssignor.decode(ByteBuffer.wrap(new byte[] {9, 1, 2}))).isEmpty();
    assertThat(TaskAssignor.decode(null)).isEmpty();
  }

  private Map<String, List<TopicPartition>> assign(Map<String, Subscription> members) {
    List<PartitionInfo> partitions = new ArrayList<>();
    for (String topic : List.of("a", "b")) {
      for (int partition = 0; partition < 2; partition++) {
        Node[] nodes = {NODE};
        partitions.add(new PartitionInfo(topic, partition, NODE, nodes, nodes));
      }
    }
    Cluster cluster = new Cluster("c", List.of(NODE), partitions, Set.of(), Set.of());
    Map<String, List<TopicPartition>> given = new TreeMap<>();
    assignor
        .assign(cluster, new GroupSubscription(members))
        .groupAssignment()
        .forEach((member, assignment) -> given.put(member, assignment.partitions()));
    return given;
  }

  private static Subscription owns(int generation, TopicPartition... partitions) {
    return new Subscription(
        List.of("a", "b"), null, List.of(partitions), generation, Optional.empty());
  }

  private static TopicPartition in(String topic, int partition) {
    return new TopicPartition(topic, partition);
  }

  private static TaskAssignor assignor(Supplier<Map<TaskId, Long>> copies) {
    Job job = Job.named("j");
    job.from(List.of("a", "b"), Serdes.String(), Serdes.String())
        .deduplicate("seen", Duration.ofDays(1))
        .to("out", Serdes.String(), Serdes.String());
    TaskAssignor made = new TaskAssignor();
    made.configure(
        Map.of(TaskAssignor.PLAN, new JobPlan(job, "j", 1 << 20), TaskAssignor.COPIES, copies));
    return made;
  }
}
