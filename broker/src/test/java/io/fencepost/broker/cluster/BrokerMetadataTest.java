package io.fencepost.broker.cluster;

import static io.fencepost.broker.cluster.ClusterFixture.accept;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.ConfigChange.Operation;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What each broker knows: at once, later, or never. */
class BrokerMetadataTest {
  private final ClusterFixture cluster = ClusterFixture.running();

  @Test
  void every_broker_knows_a_topic_when_its_creation_is_answered() {
    accept(cluster.create("t", 3, 2));
    for (int id = 1; id <= 3; id++) {
      assertThat(cluster.takeHeard(id)).containsExactly("->t");
      assertThat(cluster.view(id).state()).isSameAs(cluster.controller.state());
    }
  }

  @Test
  void a_broker_that_is_cut_off_keeps_its_old_state_and_catches_up_at_once() {
    accept(cluster.create("changed", 1, 3));
    accept(cluster.create("gone", 1, 3));
    accept(cluster.create("another", 1, 3));
    accept(cluster.create("same", 1, 3));
    cluster.takeHeard(1);
    cluster.controller.disconnect(1);
    assertThat(cluster.view(1).isConnected()).isFalse();
    accept(cluster.controller.createPartitions("changed", 2, null));
    accept(cluster.controller.createPartitions("changed", 3, null));
    accept(cluster.controller.deleteTopic("gone"));
    accept(cluster.controller.deleteTopic("another"));
    accept(cluster.create("another", 1, 3));
    accept(cluster.create("new", 1, 3));
    accept(cluster.create("passing", 1, 3));
    accept(cluster.controller.deleteTopic("passing"));
    assertThat(cluster.takeHeard(1)).isEmpty();
    assertThat(cluster.view(1).state().topics().keySet())
        .containsExactly("another", "changed", "gone", "same");
    cluster.controller.connect(1);
    assertThat(cluster.takeHeard(1))
        .containsExactly("another>-", "->another", "changed>changed", "gone>-", "->new");
    assertThat(cluster.view(1).state()).isSameAs(cluster.controller.state());
    accept(cluster.controller.deleteTopic("same"));
    assertThat(cluster.takeHeard(1)).containsExactly("same>-");
  }

  @Test
  void a_broker_that_was_fenced_while_it_was_cut_off_is_alive_again_with_its_old_epoch() {
    cluster.createAssigned(1, Map.of());
    cluster.controller.disconnect(1);
    cluster.controller.fence(1, false);
    assertThat(cluster.t0().leader()).isEqualTo(2);
    assertThat(cluster.view(1).state().isAlive(1)).isTrue();
    cluster.controller.connect(1);
    assertThat(cluster.controller.state().isAlive(1)).isTrue();
    assertThat(cluster.view(1).brokerEpoch()).isEqualTo(1);
    assertThat(cluster.view(1).state()).isSameAs(cluster.controller.state());
  }

  @Test
  void a_broker_that_starts_while_it_is_cut_off_knows_nothing_and_registers_later() {
    accept(cluster.create("t", 1, 3));
    cluster.kill(1);
    cluster.controller.disconnect(1);
    assertThat(cluster.start(1)).isEqualTo(-1);
    assertThat(cluster.view(1).state().topics()).isEmpty();
    assertThat(cluster.view(1).brokerEpoch()).isZero();
    cluster.controller.fence(1, false);
    cluster.controller.connect(1);
    assertThat(cluster.view(1).brokerEpoch()).isEqualTo(4);
    assertThat(cluster.controller.state().isAlive(1)).isTrue();
    assertThat(cluster.takeHeard(1)).first().isEqualTo("->t");
    assertThat(cluster.view(1).state()).isSameAs(cluster.controller.state());
  }

  @Test
  void one_that_died_before_the_way_was_healed_does_not_register() {
    cluster.kill(1);
    cluster.controller.disconnect(1);
    cluster.start(1);
    cluster.kill(1);
    cluster.controller.fence(1, false);
    cluster.controller.connect(1);
    assertThat(cluster.controller.state().isAlive(1)).isFalse();
  }

  @Test
  void commands_go_to_a_broker_that_can_pass_them_on() {
    assertThat(cluster.controller.state().controllerId()).isEqualTo(1);
    assertThat(cluster.view(1).refusal("t")).isNull();
    cluster.controller.disconnect(1);
    assertThat(cluster.view(1).state().controllerId()).isEqualTo(2);
    assertThat(cluster.view(3).state().controllerId()).isEqualTo(2);
    TopicResult refusal = cluster.view(1).refusal("t");
    assertThat(refusal).isNotNull();
    assertThat(refusal.error()).isEqualTo(WireError.NOT_CONTROLLER);
    assertThat(refusal.message())
        .isEqualTo("broker 1 has no connection to the controller; ask another broker");
    List<WireError> answers = new ArrayList<>();
    cluster.view(1).ensureInternalTopic(TopicNames.OFFSETS, answers::add);
    cluster.view(2).ensureInternalTopic(TopicNames.OFFSETS, answers::add);
    cluster.controller.connect(1);
    cluster.view(1).ensureInternalTopic(TopicNames.OFFSETS, answers::add);
    assertThat(answers).containsExactly(WireError.NOT_CONTROLLER, WireError.NONE, WireError.NONE);
    assertThat(cluster.view(3).state().controllerId()).isEqualTo(1);
  }

  @Test
  void a_full_disk_of_one_broker_keeps_only_that_one_behind() {
    cluster.withFullDisk.add(2);
    accept(cluster.create("t", 1, 3));
    accept(cluster.create("u", 1, 3));
    assertThat(cluster.takeHeard(1)).containsExactly("->t", "->u");
    assertThat(cluster.takeHeard(2)).isEmpty();
    cluster.view(2).repair();
    cluster.withFullDisk.clear();
    assertThat(cluster.takeHeard(2)).isEmpty();
    accept(cluster.controller.deleteTopic("u"));
    cluster.view(2).repair();
    cluster.view(2).repair();
    assertThat(cluster.takeHeard(2)).containsExactly("u>-", "t>t");
    cluster.view(1).repair();
    assertThat(cluster.takeHeard(1)).containsExactly("u>-");
  }

  @Test
  void a_change_that_no_broker_could_follow_is_answered_so() {
    cluster.withFullDisk.addAll(List.of(1, 2, 3));
    TopicResult result = cluster.create("t", 1, 3);
    assertThat(result.error()).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    assertThat(result.message()).contains("the disk of broker 1 is full");
  }

  @Test
  void a_broker_that_is_gone_is_told_nothing() {
    cluster.kill(3);
    accept(cluster.create("t", 1, 2));
    assertThat(cluster.takeHeard(3)).isEmpty();
    assertThat(cluster.view(3).state().topics()).isEmpty();
    assertThat(cluster.view(3).isConnected()).isFalse();
    BrokerMetadata former = cluster.view(2);
    cluster.start(2);
    assertThat(former.isConnected()).isFalse();
    cluster.controller.connect(3);
    assertThat(cluster.takeHeard(3)).isEmpty();
  }

  @Test
  void a_listener_that_asks_for_more_is_answered_and_all_hear_both_in_order() {
    List<String> seen = new ArrayList<>();
    cluster
        .view(1)
        .addListener(
            (before, after) -> {
              if (before == null && after != null && after.name().equals("first")) {
                accept(cluster.create("second", 1, 1));
                seen.addAll(cluster.view(1).state().topics().keySet());
              }
            });
    accept(cluster.create("first", 1, 1));
    assertThat(seen).containsExactly("first");
    for (int id = 1; id <= 3; id++) {
      assertThat(cluster.takeHeard(id)).containsExactly("->first", "->second");
    }
  }

  @Test
  void each_broker_has_its_own_settings_under_those_that_were_changed() {
    cluster.start(1, BrokerConfig.defaults().with("message.max.bytes", "1000"));
    cluster.start(2, BrokerConfig.defaults().with("message.max.bytes", "2000"));
    assertThat(maxBytes()).containsExactly("1000", "2000", "1048588");
    set("2", "2222");
    assertThat(maxBytes()).containsExactly("1000", "2222", "1048588");
    set("", "5555");
    assertThat(maxBytes()).containsExactly("5555", "2222", "5555");
    cluster.controller.replaceBroker("", new TreeMap<>());
    assertThat(maxBytes()).containsExactly("1000", "2222", "1048588");
    assertThat(
            cluster
                .controller
                .alterBroker(
                    "4", List.of(new ConfigChange("message.max.bytes", Operation.SET, "1")))
                .message())
        .isEqualTo("There is no broker 4, only [1, 2, 3]");
  }

  private void set(String broker, String value) {
    accept(
        cluster.controller.alterBroker(
            broker, List.of(new ConfigChange("message.max.bytes", Operation.SET, value))));
  }

  private List<String> maxBytes() {
    return cluster.views.values().stream()
        .map(view -> view.settings().inForce().text("message.max.bytes"))
        .toList();
  }

  @Test
  void records_are_forced_by_default_where_no_other_broker_has_them() {
    accept(cluster.create("one", 1, 1));
    accept(cluster.create("two", 1, 2));
    assertThat(flush("one", Map.of())).isEqualTo("group");
    assertThat(flush("two", Map.of())).isEqualTo("os");
    assertThat(flush("one", Map.of("flush", "os"))).isEqualTo("os");
    assertThat(flush("two", Map.of("flush", "group"))).isEqualTo("group");
    accept(
        cluster.controller.alterConfigs(
            "two", List.of(new ConfigChange("flush", Operation.SET, "group"))));
    assertThat(flush("two", Map.of("flush", "os"))).isEqualTo("group");
  }

  private String flush(String topic, Map<String, String> broker) {
    TopicState state = cluster.controller.state().topic(topic);
    assertThat(state).isNotNull();
    return TopicConfig.of(state, BrokerConfig.of(broker)).text("flush");
  }
}
