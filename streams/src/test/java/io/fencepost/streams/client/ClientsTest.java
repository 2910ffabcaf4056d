package io.fencepost.streams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Flow;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobStartException;
import io.fencepost.streams.task.JobPlan;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
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

  @Test
  void settings_that_do_not_go_together_are_refused_with_the_reason() {
    assertRefused(
        Map.of("consumer.session.timeout.ms", "1000"),
        "Heartbeat must be set lower than the session timeout");
    assertRefused(
        Map.of("group.protocol", "consumer", "consumer.session.timeout.ms", "10000"),
        "session.timeout.ms cannot be set");
    assertRefused(Map.of("security.protocol", "SASL_PLAINTEXT"), "java.security.auth.login.config");
    assertRefused(
        Map.of("producer.buffer.memory", "100000"),
        "producer.buffer.memory=100000 holds no batch of producer.batch.size=262144");
    assertRefused(
        Map.of("producer.batch.size", "33554433"),
        "producer.buffer.memory=33554432 holds no batch of producer.batch.size=33554433");
  }

  private static void assertRefused(Map<String, String> settings, String reason) {
    TreeMap<String, String> all = new TreeMap<>(settings);
    all.put("bootstrap.servers", "localhost:1");
    Clients clients = new Clients(JobConfig.of(all), "app");
    JobPlan plan = new JobPlan(Job.named("app"), "app", 1 << 20);
    assertThatThrownBy(
            () -> {
              try (Admin admin = clients.admin()) {
                clients.check();
                StaticMembers members = clients.members(admin, List.of("app-0"));
                clients.gateway("app-0", admin, plan, Map::of, members);
              }
            })
        .isInstanceOf(JobStartException.class)
        .hasMessageContaining(reason);
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
