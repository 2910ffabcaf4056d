package io.fencepost.streams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyCollection;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.fencepost.streams.store.ChangelogTopic;
import io.fencepost.streams.task.ChangelogLost;
import io.fencepost.streams.task.FailureClass;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mockito.invocation.InvocationOnMock;

class ChangelogWatchTest {
  private static final String TOPIC = "j-s-changelog";
  private static final Uuid OURS = new Uuid(1, 1);

  private final Admin admin = mock(Admin.class);
  private final ChangelogWatch watch =
      new ChangelogWatch(admin, List.of(new ChangelogTopic(TOPIC, OURS.toString(), 1_000)), 0);
  private @Nullable Uuid id = OURS;
  private @Nullable RuntimeException failure;
  private long nowMs;

  {
    when(admin.describeTopics(anyCollection())).thenAnswer(this::described);
  }

  @Test
  void a_topic_that_was_made_anew_under_a_running_job_is_found() {
    assertThat(looks(3)).isNull();
    id = new Uuid(2, 2);
    assertThat(looks(2))
        .isInstanceOf(ChangelogLost.class)
        .hasMessageContaining(TOPIC)
        .hasMessageContaining("made anew")
        .hasMessageContaining(OURS.toString());
  }

  @Test
  void a_topic_that_is_missing_twice_was_deleted_and_one_that_a_broker_did_not_know_was_not() {
    id = null;
    assertThat(looks(1)).as("asks, and hears it next time").isNull();
    id = OURS;
    assertThat(looks(3)).isNull();
    id = null;
    assertThat(looks(3)).isInstanceOf(ChangelogLost.class).hasMessageContaining("was deleted");
  }

  @Test
  void a_cluster_that_does_not_answer_says_nothing_of_its_topics() {
    failure = new TimeoutException("no answer");
    assertThat(looks(5)).isNull();
    assertThatThrownBy(() -> watch.require(List.of(TOPIC))).isInstanceOf(TimeoutException.class);
  }

  @Test
  void a_restore_does_not_begin_from_a_topic_that_was_made_anew() {
    watch.require(List.of(TOPIC, "of another"));
    id = new Uuid(2, 2);
    assertThatThrownBy(() -> watch.require(List.of(TOPIC)))
        .isInstanceOf(ChangelogLost.class)
        .satisfies(e -> assertThat(FailureClass.of(e)).isEqualTo(FailureClass.FATAL));
  }

  private @Nullable ChangelogLost looks(int times) {
    ChangelogLost found = null;
    for (int i = 0; i < times; i++) {
      found = watch.look(nowMs += ChangelogWatch.INTERVAL_MS);
    }
    return found;
  }

  private DescribeTopicsResult described(InvocationOnMock unused) {
    DescribeTopicsResult result = mock(DescribeTopicsResult.class);
    KafkaFuture<TopicDescription> answer = answer();
    when(result.topicNameValues()).thenReturn(Map.of(TOPIC, answer));
    return result;
  }

  private KafkaFuture<TopicDescription> answer() {
    if (failure != null) {
      return failed(failure);
    }
    if (id == null) {
      return failed(new UnknownTopicOrPartitionException());
    }
    TopicDescription description = mock(TopicDescription.class);
    when(description.topicId()).thenReturn(id);
    return KafkaFuture.completedFuture(description);
  }

  private static KafkaFuture<TopicDescription> failed(RuntimeException error) {
    return KafkaFuture.<TopicDescription>completedFuture(null)
        .thenApply(
            nothing -> {
              throw error;
            });
  }
}
