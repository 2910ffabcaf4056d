package io.fencepost.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.wire.Uuid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JournalLineTest {
  private static final Uuid ID = new Uuid(1, 2);
  private static final ClusterState EMPTY = ClusterState.empty("test-cluster", 1);

  private static PartitionState plain(int partition) {
    return new PartitionState(partition, 1, 4, List.of(1, 2), List.of(1, 2));
  }

  private static TopicState topic(PartitionState... partitions) {
    return new TopicState("t", ID, false, List.of(partitions), new TreeMap<>(Map.of("k", "v w")));
  }

  private static TopicState read(ClusterState state, String line) {
    TopicState topic = JournalLine.apply(state, line).topic("t");
    assertThat(topic).isNotNull();
    return topic;
  }

  @Test
  void a_topic_is_read_as_it_was_written() {
    TopicState topic =
        topic(
            plain(0),
            plain(1),
            new PartitionState(2, -1, 9, List.of(1, 2), List.of(), List.of(2), 1),
            new PartitionState(3, -1, 9, List.of(1, 2), List.of(), List.of(), 2),
            new PartitionState(4, 2, 9, List.of(1, 2, 3), List.of(2), List.of(1, 3), -1));
    assertThat(read(EMPTY, JournalLine.of(topic))).isEqualTo(topic);
  }

  @Test
  void the_lines_of_older_versions_mean_what_they_meant_and_plain_topics_still_look_like_them() {
    String old = "topic t " + ID + " 2*1:4:1,2:1,2;1*2:5:2:2 k=v%0020w";
    TopicState topic = read(EMPTY, old);
    assertThat(topic)
        .isEqualTo(topic(plain(0), plain(1), new PartitionState(2, 2, 5, List.of(2), List.of(2))));
    assertThat(JournalLine.of(topic)).isEqualTo(old);
  }

  @Test
  void a_deleted_topic_is_remembered_and_of_many_the_last_thousand() {
    ClusterState state = JournalLine.apply(EMPTY, JournalLine.of(topic(plain(0))));
    state = JournalLine.apply(state, JournalLine.gone(ID));
    assertThat(state.topics()).isEmpty();
    assertThat(state.gone()).containsExactly(ID);
    for (int i = 1; i <= 1000; i++) {
      state = JournalLine.apply(state, JournalLine.gone(new Uuid(7, i)));
    }
    assertThat(state.gone()).hasSize(1000).startsWith(new Uuid(7, 1)).endsWith(new Uuid(7, 1000));
  }

  @Test
  void one_partition_of_two_thousand_is_one_short_line() {
    List<PartitionState> partitions = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      partitions.add(new PartitionState(i, 1 + i % 3, 0, List.of(1, 2, 3), List.of(1, 2, 3)));
    }
    TopicState before = topic(partitions.toArray(PartitionState[]::new));
    partitions.set(7, new PartitionState(7, 3, 1, List.of(1, 2, 3), List.of(3), List.of(2), -1));
    partitions.set(1999, new PartitionState(1999, 2, 0, List.of(1, 2, 3), List.of(2)));
    TopicState after = before.withPartitions(partitions);
    String line = JournalLine.change(before, after);
    assertThat(line).isEqualTo("partitions t 7=3:1:1,2,3:3:2:-1;1999=2:0:1,2,3:2");
    assertThat(read(EMPTY.withTopics(List.of(before)), line)).isEqualTo(after);
  }

  @Test
  void other_changes_are_written_in_full() {
    TopicState before = topic(plain(0), plain(1));
    TopicState grown = topic(plain(0), plain(1), plain(2));
    assertThat(JournalLine.change(before, grown)).isEqualTo(JournalLine.of(grown));
    TopicState configured = before.withConfigs(new TreeMap<>(Map.of("k", "x")));
    assertThat(JournalLine.change(before, configured)).isEqualTo(JournalLine.of(configured));
    assertThat(JournalLine.change(before, before)).isEqualTo(JournalLine.of(before));
  }

  @ParameterizedTest
  @ValueSource(strings = {"partitions other 0=1:1:1:1", "partitions t 2=1:1:1:1", "strange t"})
  void lines_that_fit_nothing_are_refused(String line) {
    ClusterState state = EMPTY.withTopics(List.of(topic(plain(0), plain(1))));
    assertThatThrownBy(() -> JournalLine.apply(state, line))
        .isInstanceOf(DiskException.class)
        .hasMessageContaining("the metadata");
  }
}
