package io.fencepost.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.ConfigKey;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControllerTest {
  private static final long SEED = 7;

  private final SimEntropy entropy = new SimEntropy(SEED);
  private final SimDisk disk = new SimDisk(entropy.named("disk"));
  private Controller controller = open();
  private BrokerMetadata broker = controller.attach(BrokerConfig.defaults());

  private Controller open() {
    Controller opened =
        Controller.open(disk, entropy.named("ids"), BrokerConfig.defaults(), "test-cluster");
    opened.register(new BrokerNode(1, "localhost", 9092, null));
    return opened;
  }

  private static NewTopic topic(String name, int partitions, int replicas) {
    return new NewTopic(name, partitions, replicas, new TreeMap<>(), new TreeMap<>());
  }

  private static NewTopic configured(String name, Map<String, @Nullable String> configs) {
    return new NewTopic(name, 1, 1, new TreeMap<>(), new TreeMap<>(configs));
  }

  private static void accept(TopicResult result) {
    assertThat(result.error()).as(result.message()).isEqualTo(WireError.NONE);
  }

  @Test
  void answered_changes_survive_a_power_failure_and_epochs_grow() {
    accept(controller.createTopic(configured("kept", Map.of("retention.ms", "5000"))));
    accept(controller.createTopic(topic("gone", 3, 1)));
    accept(controller.createPartitions("kept", 4, null));
    accept(controller.deleteTopic("gone"));
    ClusterState before = controller.state();
    disk.crash();
    controller = open();
    assertThat(controller.state().topics().keySet()).containsExactly("kept");
    TopicState after = controller.state().topic("kept");
    TopicState was = before.topic("kept");
    assertThat(after).isNotNull();
    assertThat(was).isNotNull();
    assertThat(after.id()).isEqualTo(was.id());
    assertThat(after.configs()).isEqualTo(Map.of("retention.ms", "5000"));
    assertThat(after.partitions()).hasSize(4).allMatch(p -> p.leaderEpoch() == 1);
  }

  @Test
  void deleted_topics_are_known_as_such_after_every_restart() {
    accept(controller.createTopic(topic("kept", 1, 1)));
    accept(controller.createTopic(topic("gone", 1, 1)));
    TopicState gone = controller.state().topic("gone");
    assertThat(gone).isNotNull();
    accept(controller.deleteTopic("gone"));
    for (int restart = 0; restart < 3; restart++) {
      controller = open();
      assertThat(controller.state().gone()).containsExactly(gone.id());
    }
  }

  @Test
  void listeners_hear_every_change_in_order_and_late_ones_the_state() {
    List<String> heard = new ArrayList<>();
    TopicListener listener =
        (before, after) ->
            heard.add(
                (before == null ? "-" : before.name())
                    + ">"
                    + (after == null ? "-" : after.name()));
    accept(controller.createTopic(topic("a", 1, 1)));
    broker.addListener(listener);
    accept(controller.createTopic(topic("b", 1, 1)));
    accept(controller.createPartitions("b", 2, null));
    accept(controller.deleteTopic("a"));
    assertThat(heard).containsExactly("->a", "->b", "b>b", "a>-");
  }

  @ParameterizedTest
  @CsvSource({
    "ok,2,1,NONE",
    "ok,-1,-1,NONE",
    "ok,0,1,INVALID_PARTITIONS",
    "ok,-2,1,INVALID_PARTITIONS",
    "ok,1,0,INVALID_REPLICATION_FACTOR",
    "ok,1,2,INVALID_REPLICATION_FACTOR",
    "ok,10001,1,POLICY_VIOLATION",
    "'',1,1,INVALID_TOPIC_EXCEPTION",
    ".,1,1,INVALID_TOPIC_EXCEPTION",
    "..,1,1,INVALID_TOPIC_EXCEPTION",
    "white space,1,1,INVALID_TOPIC_EXCEPTION",
    "slash/name,1,1,INVALID_TOPIC_EXCEPTION",
    "taken,1,1,TOPIC_ALREADY_EXISTS",
    "ta_ken,1,1,INVALID_TOPIC_EXCEPTION",
    "__consumer_offsets,1,1,INVALID_REQUEST"
  })
  void a_topic_is_created_or_refused(String name, int partitions, int replicas, WireError error) {
    accept(controller.createTopic(topic("taken", 1, 1)));
    accept(controller.createTopic(topic("ta.ken", 1, 1)));
    assertThat(controller.createTopic(topic(name, partitions, replicas)).error()).isEqualTo(error);
  }

  @Test
  void an_unknown_setting_is_refused_with_the_nearest_one() {
    TopicResult result = controller.createTopic(configured("t", Map.of("retention.mss", "1")));
    assertThat(result.error()).isEqualTo(WireError.INVALID_CONFIG);
    assertThat(result.message())
        .isEqualTo("Unknown topic config name: retention.mss; did you mean retention.ms?");
  }

  @Test
  void internal_topics_are_created_once_compacted_and_cannot_be_deleted() {
    List<WireError> answers = new ArrayList<>();
    broker.ensureInternalTopic(TopicNames.OFFSETS, answers::add);
    broker.ensureInternalTopic(TopicNames.OFFSETS, answers::add);
    assertThat(answers).containsExactly(WireError.NONE, WireError.NONE);
    TopicState topic = controller.state().topic(TopicNames.OFFSETS);
    assertThat(topic).isNotNull();
    assertThat(topic.internal()).isTrue();
    assertThat(topic.partitions()).hasSize(4);
    assertThat(topic.configs()).containsEntry("cleanup.policy", "compact");
    assertThat(controller.deleteTopic(TopicNames.OFFSETS).error())
        .isEqualTo(WireError.INVALID_REQUEST);
  }

  @Test
  void every_default_of_a_topic_setting_keeps_its_own_rule() {
    for (ConfigKey key : TopicConfigs.TABLE.all()) {
      if (key.defaultValue() != null) {
        assertThat(key.problem(key.defaultValue())).as(key.name()).isNull();
      }
    }
  }

  @Test
  void two_thousand_partitions_are_cheap_to_keep() {
    accept(controller.createTopic(topic("wide", 2000, 1)));
    controller = open();
    TopicState wide = controller.state().topic("wide");
    assertThat(wide).isNotNull();
    assertThat(wide.partitions()).hasSize(2000);
    assertThat(disk.read("metadata.journal").length).isLessThan(500);
  }

  @Test
  void a_change_that_the_disk_refused_does_not_come_true_at_the_next_start() {
    accept(controller.createTopic(topic("kept", 1, 1)));
    disk.failNextForce();
    assertThat(controller.deleteTopic("kept").error()).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    disk.fill(20);
    assertThat(controller.createTopic(topic("refused", 1, 1)).error())
        .isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    disk.free();
    assertThat(controller.state().topics().keySet()).containsExactly("kept");
    disk.kill();
    controller = open();
    assertThat(controller.state().topics().keySet()).containsExactly("kept");
  }

  @Test
  void damage_anywhere_in_the_journal_is_refused_and_never_loses_a_topic() {
    accept(controller.createTopic(topic("one", 1, 1)));
    accept(controller.createTopic(topic("two", 1, 1)));
    byte[] intact = disk.read("metadata.journal");
    for (int at = 0; at < intact.length; at++) {
      disk.replace("metadata.journal", intact);
      disk.corrupt("metadata.journal", at);
      boolean lastLineBreak = at == intact.length - 1;
      try {
        Controller opened = open();
        // A line without its end looks like one that was never answered.
        assertThat(lastLineBreak).as("started with byte %d damaged", at).isTrue();
        opened.close();
      } catch (DiskException refused) {
        assertThat(refused).hasMessageContaining("metadata.journal");
      }
    }
  }

  @Test
  void a_journal_that_was_rewritten_and_then_cut_or_removed_is_refused() {
    accept(controller.createTopic(topic("one", 1, 1)));
    controller.close();
    controller = open();
    byte[] intact = disk.read("metadata.journal");
    for (int size = 0; size < intact.length; size++) {
      disk.replace("metadata.journal", Arrays.copyOf(intact, size));
      assertThatThrownBy(this::open).as("cut to %d", size).isInstanceOf(DiskException.class);
    }
    disk.delete("metadata.journal");
    disk.replace("one-0/partition.metadata", new byte[0]);
    assertThatThrownBy(this::open).hasMessageContaining("one-0");
  }

  @Test
  void what_a_full_disk_kept_listeners_from_is_made_up_for_later() {
    List<String> opened = new ArrayList<>();
    broker.addListener(
        (before, after) -> {
          disk.replace("opened", new byte[10_000]);
          opened.add(after == null ? "" : after.name());
        });
    disk.fill(1_000);
    assertThat(controller.createTopic(topic("late", 1, 1)).error())
        .isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    broker.repair();
    assertThat(opened).isEmpty();
    disk.free();
    broker.repair();
    broker.repair();
    assertThat(opened).containsExactly("late");
  }
}
