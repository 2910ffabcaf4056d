package io.fencepost.streams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.JobConfig;
import java.util.Map;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.junit.jupiter.api.Test;

class ClientsTest {
  private static final String CLASSIC = "partition.assignment.strategy";
  private static final String BY_BROKER = "group.remote.assignor";

  @Test
  void topics_that_share_state_meet_on_one_member_in_either_group_protocol() {
    assertThat(settings(JobConfig.of(Map.of()), true))
        .containsEntry(CLASSIC, RangeAssignor.class.getName())
        .doesNotContainKey(BY_BROKER);
    assertThat(settings(JobConfig.of(Map.of("group.protocol", "consumer")), true))
        .containsEntry(BY_BROKER, "range")
        .doesNotContainKey(CLASSIC);
  }

  @Test
  void an_assignor_of_the_user_s_choice_holds_where_no_state_is_shared() {
    JobConfig config = JobConfig.of(Map.of(CLASSIC, "org.example.Mine"));
    assertThat(settings(config, false)).containsEntry(CLASSIC, "org.example.Mine");
    assertThat(settings(config, true)).containsEntry(CLASSIC, RangeAssignor.class.getName());
  }

  private static Map<String, Object> settings(JobConfig config, boolean coPartitioned) {
    return new Clients(config, "app").memberSettings("app-0", coPartitioned);
  }
}
