package io.fencepost.streams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.Flow;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.task.JobPlan;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class ClientsTest {
  private static final String CLASSIC = "partition.assignment.strategy";
  private static final String BY_BROKER = "group.remote.assignor";

  @Test
  void topics_that_share_state_meet_on_one_member_in_either_group_protocol() {
    assertThat(settings(JobConfig.of(Map.of()), true))
        .containsEntry(CLASSIC, TaskAssignor.class.getName())
        .doesNotContainKey(BY_BROKER);
    assertThat(settings(JobConfig.of(Map.of("group.protocol", "consumer")), true))
        .containsEntry(BY_BROKER, "range")
        .doesNotContainKey(CLASSIC);
  }

  @Test
  void an_assignor_of_the_user_s_choice_holds_where_no_state_is_shared() {
    JobConfig config = JobConfig.of(Map.of(CLASSIC, "org.example.Mine"));
    assertThat(settings(config, false)).containsEntry(CLASSIC, "org.example.Mine");
    assertThat(settings(config, true)).containsEntry(CLASSIC, TaskAssignor.class.getName());
  }

  private static Map<String, Object> settings(JobConfig config, boolean coPartitioned) {
    Job job = Job.named("app");
    Flow<String, String> flow =
        job.from(
            coPartitioned ? List.of("a", "b") : List.of("a"), Serdes.String(), Serdes.String());
    flow.deduplicate("seen", Duration.ofDays(1)).to("out", Serdes.String(), Serdes.String());
    JobPlan plan = new JobPlan(job, "app", 1 << 20);
    return new Clients(config, "app").memberSettings("app-0", plan, Map::of);
  }
}
