package io.fencepost.testkit.answers;

import static io.fencepost.testkit.answers.GroupTalk.beating;
import static io.fencepost.testkit.answers.GroupTalk.joining;
import static io.fencepost.testkit.answers.SettingTalk.APPEND;
import static io.fencepost.testkit.answers.SettingTalk.DELETE;
import static io.fencepost.testkit.answers.SettingTalk.GROUP;
import static io.fencepost.testkit.answers.SettingTalk.SET;
import static io.fencepost.testkit.answers.SettingTalk.SUBTRACT;
import static io.fencepost.testkit.answers.SettingTalk.change;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Settings that a group has of its own. */
interface GroupSettingAnswers extends Asked {
  private SettingTalk settings() {
    return new SettingTalk(talk());
  }

  private String set(String group, String key, @Nullable String value) {
    return settings().alter(GROUP, group, SET, key, value);
  }

  @Test
  default void bad_changes_of_a_group_s_settings() {
    String group = Talk.fresh("g");
    assertThat(set(group, "consumer.session.timeout.ms", "50000")).isEqualTo("NONE");
    assertThat(set("", "consumer.session.timeout.ms", "50000")).isEqualTo("INVALID_REQUEST");
    assertThat(set(group, "consumer.session.timeout.ms", null)).isEqualTo("INVALID_REQUEST");
    assertThat(set(group, "no.such.key", "1")).isEqualTo("INVALID_CONFIG");
    assertThat(settings().alter(GROUP, group, DELETE, "no.such.key", null)).isEqualTo("NONE");
    for (int operation : List.of(APPEND, SUBTRACT)) {
      assertThat(settings().alter(GROUP, group, operation, "consumer.session.timeout.ms", "1"))
          .isEqualTo("INVALID_CONFIG");
    }
    assertThat(
            settings()
                .alter(
                    GROUP,
                    group,
                    List.of(
                        change(SET, "consumer.session.timeout.ms", "50000"),
                        change(SET, "consumer.session.timeout.ms", "50001"))))
        .isEqualTo("INVALID_REQUEST");
    assertThat(settings().describe(GROUP, "")).isEqualTo("INVALID_REQUEST");
  }

  @Test
  default void bounds_of_a_group_s_settings() {
    String refused =
        """
        consumer.session.timeout.ms 499 60001 soon
        consumer.heartbeat.interval.ms 99 15001 0 5.5
        consumer.assignment.interval.ms -1 15001
        share.session.timeout.ms 44999 60001
        share.heartbeat.interval.ms 4999 15001
        share.record.lock.duration.ms 1 14999 60001
        share.delivery.count.limit 1 11
        share.partition.max.record.locks 99 4001
        share.assignment.interval.ms -1 15001
        share.auto.offset.reset never by_duration by_duration:soon by_duration:-PT1H
        share.isolation.level odd
        share.renew.acknowledge.enable maybe
        streams.session.timeout.ms 44999 60001
        streams.heartbeat.interval.ms 4999 15001
        streams.assignment.interval.ms -1 15001
        streams.initial.rebalance.delay.ms -1
        streams.num.standby.replicas -1 3
        streams.assignor.name odd
        errors.deadletterqueue.topic.name __internal
        errors.deadletterqueue.copy.record.enable maybe
        """;
    String taken =
        """
        consumer.heartbeat.interval.ms 100 15000
        consumer.session.timeout.ms 15001 60000
        consumer.assignment.interval.ms 0 15000
        share.session.timeout.ms 45000
        share.auto.offset.reset earliest by_duration:PT1H
        share.isolation.level read_committed
        share.delivery.count.limit 2 10
        streams.num.standby.replicas 2
        streams.assignor.name sticky
        streams.initial.rebalance.delay.ms 100000000
        streams.rack.aware.assignment.tags a,b
        errors.deadletterqueue.topic.name dead
        """;
    assertThat(answers(refused)).allMatch(line -> line.endsWith(" INVALID_CONFIG"));
    assertThat(answers(taken)).allMatch(line -> line.endsWith(" NONE"));
  }

  @Test
  default void a_heartbeat_must_fit_into_a_session() {
    String group = Talk.fresh("g");
    assertThat(set(group, "consumer.session.timeout.ms", "5000")).isEqualTo("INVALID_CONFIG");
    assertThat(set(group, "consumer.session.timeout.ms", "5001")).isEqualTo("NONE");
    assertThat(set(group, "consumer.heartbeat.interval.ms", "5001")).isEqualTo("INVALID_CONFIG");
    assertThat(set(group, "consumer.heartbeat.interval.ms", "499")).isEqualTo("NONE");
    assertThat(set(group, "consumer.session.timeout.ms", "500")).isEqualTo("NONE");
    assertThat(settings().alter(GROUP, group, DELETE, "consumer.heartbeat.interval.ms", null))
        .isEqualTo("INVALID_CONFIG");
  }

  private List<String> answers(String keysAndValues) {
    String group = Talk.fresh("g");
    return keysAndValues
        .lines()
        .map(line -> line.split(" "))
        .flatMap(
            words ->
                List.of(words).subList(1, words.length).stream()
                    .map(value -> words[0] + " " + value + " " + set(group, words[0], value)))
        .toList();
  }

  @Test
  default void a_group_s_settings_are_shown_before_those_of_the_broker() {
    String group = Talk.fresh("a group");
    assertThat(settings().lists(GROUP, group)).isFalse();
    assertThat(shown(group, "")).hasSize(21);
    assertThat(set(group, "consumer.session.timeout.ms", "50000")).isEqualTo("NONE");
    assertThat(set(group, "share.isolation.level", "read_committed")).isEqualTo("NONE");
    assertThat(shown(group, "consumer."))
        .containsExactly(
            "consumer.assignment.interval.ms=0 from 4 type 3"
                + " [group.consumer.assignment.interval.ms=0 from 4,"
                + " group.consumer.assignment.interval.ms="
                + defaultAssignmentInterval()
                + " from 5]",
            "consumer.heartbeat.interval.ms=5000 from 5 type 3"
                + " [group.consumer.heartbeat.interval.ms=5000 from 5]",
            "consumer.session.timeout.ms=50000 from 8 type 3"
                + " [consumer.session.timeout.ms=50000 from 8,"
                + " group.consumer.session.timeout.ms=45000 from 5]");
    assertThat(shown(group, "share.isolation"))
        .containsExactly(
            "share.isolation.level=read_committed from 8 type 2"
                + " [share.isolation.level=read_committed from 8,"
                + " share.isolation.level=read_uncommitted from 5]");
    assertThat(settings().lists(GROUP, group)).isTrue();
    assertThat(settings().replace(GROUP, group, "consumer.heartbeat.interval.ms", "6000"))
        .isEqualTo("NONE");
    assertThat(shown(group, "consumer.session"))
        .containsExactly(
            "consumer.session.timeout.ms=45000 from 5 type 3"
                + " [group.consumer.session.timeout.ms=45000 from 5]");
    assertThat(settings().alter(GROUP, group, DELETE, "consumer.heartbeat.interval.ms", null))
        .isEqualTo("NONE");
    assertThat(settings().lists(GROUP, group)).isFalse();
  }

  /** Without what Kafka shows only because these tests set it in its broker. */
  private List<String> shown(String group, String prefix) {
    List<String> lines = settings().values(GROUP, group, prefix);
    lines.removeIf(line -> line.startsWith("consumer.assignor.offload.enable="));
    return lines;
  }

  default int defaultAssignmentInterval() {
    return 1_000;
  }

  @Test
  default void members_follow_the_settings_of_their_group() {
    GroupTalk groups = new GroupTalk(talk());
    Talk.Topic topic = groups.newTopic(1);
    String group = Talk.fresh("g");
    String other = Talk.fresh("g");
    assertThat(set(group, "consumer.heartbeat.interval.ms", "100")).isEqualTo("NONE");
    groups.beat(1, joining(group, "m", topic));
    assertThat(groups.beatInterval(joining(other, "m", topic))).isEqualTo(5_000);
    awaitInterval(group, 100);
    assertThat(
            settings()
                .alter(
                    GROUP,
                    group,
                    List.of(
                        change(SET, "consumer.heartbeat.interval.ms", "200"),
                        change(SET, "consumer.session.timeout.ms", "500"))))
        .isEqualTo("NONE");
    awaitInterval(group, 200);
    String state =
        TxnTalk.until(() -> groups.describeConsumers(group), text -> text.startsWith("Empty"));
    assertThat(state).startsWith("Empty");
    assertThat(groups.beat(1, beating(other, "m", 2)).error()).isEqualTo("NONE");
  }

  /** Kafka's broker hears of a change a moment after its controller has taken it. */
  private void awaitInterval(String group, int intervalMs) {
    String wanted = "" + intervalMs;
    GroupTalk groups = new GroupTalk(talk());
    String seen =
        TxnTalk.until(() -> "" + groups.beatInterval(beating(group, "m", 2)), wanted::equals);
    assertThat(seen).isEqualTo(wanted);
  }

  @Test
  default void targets_are_made_no_more_often_than_the_group_says() {
    GroupTalk groups = new GroupTalk(talk());
    Talk.Topic topic = groups.newTopic(2);
    String group = Talk.fresh("g");
    assertThat(set(group, "consumer.assignment.interval.ms", "15000")).isEqualTo("NONE");
    awaitShown(group, "15000");
    groups.beat(1, joining(group, "a", topic));
    groups.beat(1, joining(group, "b", topic));
    assertThat(groups.describeConsumers(group)).startsWith("Assigning 3 2 uniform");
    assertThat(set(group, "consumer.assignment.interval.ms", "0")).isEqualTo("NONE");
    awaitShown(group, "0");
    groups.beat(1, beating(group, "a", 2));
    assertThat(groups.describeConsumers(group)).startsWith("Reconciling 3 3 uniform");
  }

  private void awaitShown(String group, String intervalMs) {
    TxnTalk.until(
        () -> shown(group, "consumer.assignment").toString(),
        text -> text.startsWith("[consumer.assignment.interval.ms=" + intervalMs + " from 8"));
  }
}
