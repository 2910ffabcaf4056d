package io.fencepost.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.ConfigChange.Operation;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Settings of single groups. */
class GroupConfigsTest {
  private static final String SESSION = "consumer.session.timeout.ms";
  private static final String TAGS = "streams.rack.aware.assignment.tags";

  private final SimEntropy entropy = new SimEntropy(7);
  private final SimDisk disk = new SimDisk(entropy.named("disk"));
  private BrokerMetadata broker;
  private Controller controller = open(BrokerConfig.defaults());

  private Controller open(BrokerConfig atStart) {
    Controller opened = Controller.open(disk, entropy.named("ids"), atStart, "test-cluster");
    broker = opened.attach(atStart);
    return opened;
  }

  private TopicResult alter(String group, Operation operation, String key, @Nullable String value) {
    return controller.alterGroup(group, List.of(new ConfigChange(key, operation, value)));
  }

  private void set(String group, String key, String value) {
    TopicResult result = alter(group, Operation.SET, key, value);
    assertThat(result.error()).as(result.message()).isEqualTo(WireError.NONE);
  }

  @Test
  void they_are_there_after_a_restart_and_after_the_next_one() {
    set("a group % with = odd\u00e4 name", SESSION, "50000");
    set("g", TAGS, "x, y");
    set("gone", SESSION, "46000");
    alter("gone", Operation.DELETE, SESSION, null);
    for (int restart = 0; restart < 2; restart++) {
      assertThat(controller.state().groupConfigs())
          .containsOnly(
              Map.entry("a group % with = odd\u00e4 name", new TreeMap<>(Map.of(SESSION, "50000"))),
              Map.entry("g", new TreeMap<>(Map.of(TAGS, "x, y"))));
      controller.close();
      controller = open(BrokerConfig.defaults());
    }
  }

  @Test
  void the_group_s_own_value_counts_and_without_one_that_of_the_broker() {
    assertThat(GroupConfigs.intOf(SESSION, "g", broker)).isEqualTo(45_000);
    set("g", SESSION, " 50000 ");
    assertThat(GroupConfigs.intOf(SESSION, "g", broker)).isEqualTo(50_000);
    assertThat(GroupConfigs.intOf(SESSION, "other", broker)).isEqualTo(45_000);
  }

  @Test
  void groups_follow_a_running_broker() {
    String interval = "group.consumer.assignment.interval.ms";
    controller.register(new BrokerNode(1, "localhost", 9092, null));
    controller.alterBroker("1", List.of(new ConfigChange(interval, Operation.SET, "700")));
    assertThat(GroupConfigs.intOf("consumer.assignment.interval.ms", "g", broker)).isEqualTo(700);
  }

  @Test
  void the_bounds_are_those_of_the_broker() {
    assertThat(alter("g", Operation.SET, SESSION, "44999").message())
        .isEqualTo("consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.");
    controller.close();
    BrokerConfig generous =
        BrokerConfig.defaults().with("group.consumer.min.session.timeout.ms", "1000");
    controller = open(generous);
    set("g", SESSION, "44999");
    assertThat(alter("g", Operation.SET, SESSION, "4000").message())
        .isEqualTo(
            "consumer.heartbeat.interval.ms of 5000 must be less than"
                + " consumer.session.timeout.ms of 4000");
  }

  @Test
  void lists_grow_and_shrink_and_keep_their_order() {
    set("g", TAGS, "zone,rack");
    alter("g", Operation.APPEND, TAGS, "zone,row");
    assertThat(controller.state().groupConfigs().get("g")).containsEntry(TAGS, "zone,rack,row");
    alter("g", Operation.SUBTRACT, TAGS, "rack,other");
    assertThat(controller.state().groupConfigs().get("g")).containsEntry(TAGS, "zone,row");
  }

  @Test
  void asking_first_changes_nothing() {
    List<ConfigChange> change = List.of(new ConfigChange(SESSION, Operation.SET, "50000"));
    assertThat(controller.validateGroup("g", change).error()).isEqualTo(WireError.NONE);
    assertThat(controller.validateGroup("", change).error()).isEqualTo(WireError.INVALID_REQUEST);
    assertThat(controller.validateGroupReplacement("g", new TreeMap<>(Map.of("odd", "1"))).error())
        .isEqualTo(WireError.INVALID_CONFIG);
    assertThat(controller.state().groupConfigs()).isEmpty();
  }

  @Test
  void a_full_disk_refuses_the_change_and_it_does_not_come_true() {
    set("g", SESSION, "50000");
    disk.fill(0);
    assertThat(alter("g", Operation.SET, SESSION, "51000").error())
        .isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    assertThat(GroupConfigs.intOf(SESSION, "g", broker)).isEqualTo(50_000);
  }
}
