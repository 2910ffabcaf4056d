package io.fencepost.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.ConfigChange.Operation;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Settings of a broker that change while it runs. */
class BrokerSettingsTest {
  private static final BrokerConfig AT_START =
      BrokerConfig.defaults().with("log.retention.hours", "1").with("message.max.bytes", "1000");

  private final SimEntropy entropy = new SimEntropy(7);
  private final SimDisk disk = new SimDisk(entropy.named("disk"));
  private BrokerMetadata broker;
  private Controller controller = open();

  private Controller open() {
    Controller opened = Controller.open(disk, entropy.named("ids"), AT_START, "test-cluster");
    opened.register(new BrokerNode(1, "localhost", 9092, null));
    broker = opened.attach(AT_START);
    return opened;
  }

  private static List<ConfigChange> set(String name, String value) {
    return List.of(new ConfigChange(name, Operation.SET, value));
  }

  private void alter(String broker, List<ConfigChange> changes) {
    TopicResult result = controller.alterBroker(broker, changes);
    assertThat(result.error()).as(result.message()).isEqualTo(WireError.NONE);
  }

  private TopicState topic() {
    TopicState topic = controller.state().topic("t");
    if (topic == null) {
      controller.createTopic(new NewTopic("t", 1, 1, new TreeMap<>(), new TreeMap<>()));
      topic = controller.state().topic("t");
    }
    assertThat(topic).isNotNull();
    return topic;
  }

  private @Nullable String inForce(String topicSetting) {
    return TopicConfig.of(topic(), broker.settings().inForce()).find(topicSetting);
  }

  @Test
  void the_broker_s_own_setting_beats_that_of_all_brokers_and_both_beat_the_start() {
    assertThat(inForce("max.message.bytes")).isEqualTo("1000");
    alter("", set("message.max.bytes", "2000"));
    assertThat(inForce("max.message.bytes")).isEqualTo("2000");
    alter("1", set("message.max.bytes", "3000"));
    assertThat(inForce("max.message.bytes")).isEqualTo("3000");
    alter("1", List.of(new ConfigChange("message.max.bytes", Operation.DELETE, null)));
    assertThat(inForce("max.message.bytes")).isEqualTo("2000");
    alter("", List.of(new ConfigChange("message.max.bytes", Operation.DELETE, null)));
    assertThat(inForce("max.message.bytes")).isEqualTo("1000");
    assertThat(controller.state().brokerConfigs()).isEmpty();
  }

  @Test
  void a_changed_unit_is_stronger_than_one_from_the_start() {
    assertThat(inForce("retention.ms")).isEqualTo("3600000");
    alter("1", set("log.retention.ms", "5"));
    assertThat(inForce("retention.ms")).isEqualTo("5");
  }

  @Test
  void lists_grow_from_what_is_in_force() {
    alter("1", List.of(new ConfigChange("log.cleanup.policy", Operation.APPEND, "compact")));
    assertThat(inForce("cleanup.policy")).isEqualTo("delete,compact");
    alter("1", List.of(new ConfigChange("log.cleanup.policy", Operation.SUBTRACT, "delete")));
    assertThat(inForce("cleanup.policy")).isEqualTo("compact");
  }

  @Test
  void changes_survive_a_power_failure_and_the_next_start() {
    topic();
    alter("", set("log.retention.ms", "7000"));
    alter("1", set("log.segment.bytes", "2000000"));
    for (int start = 0; start < 3; start++) {
      disk.crash();
      controller = open();
      assertThat(inForce("retention.ms")).isEqualTo("7000");
      assertThat(inForce("segment.bytes")).isEqualTo("2000000");
    }
    alter("", List.of(new ConfigChange("log.retention.ms", Operation.DELETE, null)));
    disk.crash();
    controller = open();
    assertThat(controller.state().brokerConfigs()).containsOnlyKeys("1");
  }

  @Test
  void every_topic_follows_a_change_before_it_is_answered() {
    topic();
    List<String> heard = new ArrayList<>();
    broker.addListener(
        (before, after) -> {
          if (after != null) {
            heard.add(after.name() + " " + inForce("max.message.bytes"));
          }
        });
    alter("", set("message.max.bytes", "2000"));
    assertThat(heard).containsExactly("t 1000", "t 2000");
  }

  @Test
  void what_cannot_change_is_refused_and_nothing_of_that_request_comes_true() {
    assertRefused("1", "node.id", "2", "Cannot update these configs dynamically: [node.id]");
    assertRefused("1", "log.retention.hours", "2", "dynamically: [log.retention.hours]");
    assertRefused("1", "log.retention.mss", "2", "did you mean log.retention.ms?");
    assertRefused("1", "message.max.bytes", "many", "it is not a 32-bit integer");
    assertRefused("77", "message.max.bytes", "2", "There is no broker 77, only [1]");
    List<ConfigChange> both = new ArrayList<>(set("message.max.bytes", "2000"));
    both.addAll(set("node.id", "2"));
    assertThat(controller.alterBroker("1", both).error()).isEqualTo(WireError.INVALID_REQUEST);
    assertThat(controller.state().brokerConfigs()).isEmpty();
    alter("1", List.of(new ConfigChange("no.such.setting", Operation.DELETE, null)));
  }

  private void assertRefused(String broker, String name, String value, String reason) {
    TopicResult result = controller.alterBroker(broker, set(name, value));
    assertThat(result.error()).isEqualTo(WireError.INVALID_REQUEST);
    assertThat(result.message()).contains(reason);
    assertThat(controller.validateBroker(broker, set(name, value)).message()).contains(reason);
    assertThat(inForce("max.message.bytes")).isEqualTo("1000");
  }
}
