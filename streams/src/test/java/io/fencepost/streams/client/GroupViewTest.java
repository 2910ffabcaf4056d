package io.fencepost.streams.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class GroupViewTest {
  private static final Set<TopicPartition> ONE = Set.of(new TopicPartition("in", 0));

  @Test
  void a_client_id_tells_instance_and_address() {
    String id = GroupView.clientId("my-app-3f2a-11-0", "[::1]:8080");
    assertThat(GroupView.member(id, "my-app", ONE))
        .isEqualTo(new GroupView.Member("3f2a-11", "[::1]:8080", ONE));
    assertThat(GroupView.member(GroupView.clientId("my-app-3f2a-0", null), "my-app", ONE))
        .isEqualTo(new GroupView.Member("3f2a", null, ONE));
  }

  @Test
  void one_that_was_configured_tells_no_instance() {
    assertThat(GroupView.member("payments@host:1", "my-app", ONE))
        .isEqualTo(new GroupView.Member(null, "host:1", ONE));
    assertThat(GroupView.member("my-app-0", "my-app", ONE).instance()).isNull();
  }
}
