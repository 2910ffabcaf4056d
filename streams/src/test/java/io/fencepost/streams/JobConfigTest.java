package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class JobConfigTest {
  @Test
  void an_unknown_key_names_the_nearest_known_one_with_its_prefix() {
    assertThatThrownBy(() -> JobConfig.of(Map.of("comit.interval.ms", "1")))
        .hasMessage("unknown setting comit.interval.ms; did you mean commit.interval.ms?");
    assertThatThrownBy(() -> JobConfig.of(Map.of("producer.linger.mss", "1")))
        .hasMessageContaining("did you mean producer.linger.ms?");
    assertThatThrownBy(() -> JobConfig.of(Map.of("consumer.max.pol.records", "1")))
        .hasMessageContaining("did you mean consumer.max.poll.records?");
  }

  @Test
  void what_the_guarantee_rests_on_cannot_be_set() {
    assertThatThrownBy(() -> JobConfig.of(Map.of("consumer.isolation.level", "read_uncommitted")))
        .hasMessageContaining("always reads read_committed");
    assertThatThrownBy(() -> JobConfig.of(Map.of("acks", "1"))).hasMessageContaining("acks=all");
    assertThatThrownBy(() -> JobConfig.of(Map.of("processing.guarantee", "at_most_once")))
        .hasMessageContaining("exactly_once_v2");
    assertThatThrownBy(() -> JobConfig.of(Map.of("consumer.group.instance.id", "mine")))
        .hasMessageContaining("set instance.id");
  }

  @Test
  void the_closest_setting_of_a_client_wins() {
    JobConfig config =
        JobConfig.of(
            Map.of(
                "bootstrap.servers", "h:1",
                "max.poll.records", "7",
                "restore.consumer.max.poll.records", "9",
                "linger.ms", "3",
                "producer.linger.ms", "4"));
    assertThat(config.clientSettings("consumer")).containsEntry("max.poll.records", "7");
    assertThat(config.clientSettings("restore.consumer")).containsEntry("max.poll.records", "9");
    assertThat(config.clientSettings("producer"))
        .containsEntry("linger.ms", "4")
        .containsEntry("bootstrap.servers", "h:1")
        .doesNotContainKey("max.poll.records");
  }

  @Test
  void a_number_out_of_range_or_no_number_is_refused_at_once() {
    assertThatThrownBy(() -> JobConfig.of(Map.of("num.stream.threads", "0")))
        .hasMessageContaining("num.stream.threads=0 is outside of 1 to 512");
    assertThatThrownBy(() -> JobConfig.of(Map.of("commit.interval.ms", "soon")))
        .hasMessageContaining("commit.interval.ms=soon is not a whole number");
    assertThatThrownBy(() -> JobConfig.of(Map.of("commit.interval.ms", "20000")))
        .hasMessageContaining("must be below transaction.timeout.ms (10000)");
  }

  @Test
  void an_empty_state_directory_is_not_the_working_directory() {
    assertThatThrownBy(() -> JobConfig.of(Map.of("state.dir", " ")))
        .hasMessageContaining("state.dir is empty");
  }

  @Test
  void no_topic_is_created_by_being_read() {
    JobConfig config = JobConfig.of(Map.of());
    for (String reader : new String[] {"consumer", "restore.consumer"}) {
      assertThat(config.clientSettings(reader)).containsEntry("allow.auto.create.topics", "false");
    }
  }

  @Test
  void clients_report_to_nobody_unless_told_so() {
    String jmx = "org.apache.kafka.common.metrics.JmxReporter";
    JobConfig silent = JobConfig.of(Map.of());
    JobConfig telling =
        JobConfig.of(Map.of("metric.reporters", jmx, "producer.enable.metrics.push", "true"));
    for (String kind : new String[] {"consumer", "restore.consumer", "producer", "admin"}) {
      assertThat(silent.clientSettings(kind))
          .containsEntry("metric.reporters", "")
          .containsEntry("enable.metrics.push", "false");
      assertThat(telling.clientSettings(kind))
          .containsEntry("metric.reporters", jmx)
          .containsEntry("enable.metrics.push", String.valueOf(kind.equals("producer")));
    }
  }

  @Test
  void what_a_client_would_refuse_later_is_refused_at_once() {
    assertThatThrownBy(() -> JobConfig.of(Map.of("producer.batch.size", "big")))
        .hasMessageContaining("producer.batch.size=big: ")
        .hasMessageContaining("batch.size");
    assertThatThrownBy(() -> JobConfig.of(Map.of("restore.consumer.fetch.min.bytes", "-1")))
        .hasMessageContaining("restore.consumer.fetch.min.bytes=-1: ");
    assertThatThrownBy(() -> JobConfig.of(Map.of("linger.ms", "soon")))
        .hasMessageContaining("linger.ms=soon: ");
    assertThatThrownBy(() -> JobConfig.of(Map.of("producer.compression.type", "zip")))
        .hasMessageContaining("producer.compression.type=zip: ");
    assertThatThrownBy(() -> JobConfig.of(Map.of("producer.transaction.timeout.ms", "99999999999")))
        .hasMessageContaining("producer.transaction.timeout.ms=99999999999: ");
  }

  @Test
  void a_stateful_operator_after_a_change_of_key_is_refused() {
    Flow<String, String> flow =
        Job.named("j")
            .from("in", Serdes.String(), Serdes.String())
            .map(message -> message.withKey("x"));
    assertThatThrownBy(() -> flow.deduplicate("seen", java.time.Duration.ofDays(1)))
        .hasMessageContaining("may change the key (map)");
  }

  @Test
  void a_job_says_what_it_does_and_what_it_does_not_cover() {
    Job job = Job.named("dedup").deadLetters("dead");
    job.from("in", Serdes.String(), Serdes.String())
        .deduplicate(
            "seen",
            java.time.Duration.ofDays(1),
            again -> again.to("again", Serdes.String(), Serdes.String()))
        .to("out", Serdes.String(), Serdes.String());
    assertThat(job.describe())
        .isEqualTo(
            """
            job dedup
              read in
                deduplicate [store seen]
                write out
                repetitions:
                  write again
              store seen (persistent, keeps PT24H, changelog APPLICATION_ID-seen-changelog)
              dead letters to dead
            """);
    assertThat(job.guarantee(JobConfig.of(Map.of())))
        .contains("again, out", "group dedup", "read_committed", "acks=all", "e-mail", "databases");
  }
}
