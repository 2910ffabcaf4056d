package io.fencepost.txn.group.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that come, go, die, lose answers and dawdle, in any order: no partition is ever used by
 * two at once, everybody is at its target in the end, and a restart finds the same group.
 */
class ReconciliationPropertyTest {
  private static final int STEPS = 400;

  private final SortedMap<String, Client> clients = new TreeMap<>();
  private final GroupTable table = new GroupTable();
  private int names;

  /** What a consumer knows: it uses what it was given until it is told to stop, and does. */
  private static final class Client {
    final String[] topics;
    int epoch;
    PartitionSet uses = PartitionSet.EMPTY;

    /** What it was told last, and has not put into effect yet. */
    PartitionSet told = PartitionSet.EMPTY;

    boolean hasNews = true;

    /** It got no answer the last time, so it says everything. */
    boolean isUnsure;

    Client(String[] topics) {
      this.topics = topics;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597})
  void partitions_have_one_user_and_all_arrive(long seed) {
    SimEntropy chance = new SimEntropy(seed);
    table.topics.topic("t0", 7);
    table.topics.topic("t1", 4);
    table.topics.topic("t2", 1);
    for (int step = 0; step < STEPS; step++) {
      act(chance);
      table.nowMs += 10;
      check(seed, step);
    }
    converge(seed);
  }

  private void act(SimEntropy chance) {
    int choice = chance.nextInt(100);
    if (clients.isEmpty() || (choice < 8 && clients.size() < 9)) {
      join(chance);
      return;
    }
    List<String> ids = new ArrayList<>(clients.keySet());
    String id = ids.get(chance.nextInt(ids.size()));
    if (choice < 12) {
      clients.remove(id);
      table.leave(id);
    } else if (choice < 15) {
      // Its process is gone, and after a session the group knows.
      clients.remove(id);
      table.remove(id);
    } else if (choice < 18) {
      String name = "t" + chance.nextInt(3);
      int count = table.topics.partitionsOf(table.topics.idOf(name));
      table.topics.topic(name, count + 1 + chance.nextInt(3));
    } else if (choice < 30) {
      revoke(clients.get(id));
    } else {
      boolean isAnswerLost = chance.nextInt(10) == 0;
      beat(id, clients.get(id), isAnswerLost);
    }
  }

  private void join(SimEntropy chance) {
    String id = "m" + names++;
    String[] topics =
        switch (chance.nextInt(4)) {
          case 0 -> new String[] {"t0"};
          case 1 -> new String[] {"t0", "t1"};
          case 2 -> new String[] {"t1", "t2"};
          default -> new String[] {"t0", "t1", "t2"};
        };
    Client client = new Client(topics);
    clients.put(id, client);
    hear(client, table.join(id, topics));
  }

  private void beat(String id, Client client, boolean isAnswerLost) {
    PartitionSet owned = client.hasNews || client.isUnsure ? client.uses : null;
    HeartbeatAnswer answer =
        client.isUnsure
            ? table.send(GroupTable.full(id, client.epoch, owned, client.topics))
            : table.beat(id, client.epoch, owned);
    client.isUnsure = isAnswerLost;
    if (isAnswerLost) {
      return;
    }
    client.hasNews = false;
    if (answer.error() == WireError.FENCED_MEMBER_EPOCH
        || answer.error() == WireError.UNKNOWN_MEMBER_ID) {
      clients.remove(id);
      table.remove(id);
      return;
    }
    hear(client, answer);
  }

  private static void hear(Client client, HeartbeatAnswer answer) {
    assertThat(answer.error()).isEqualTo(WireError.NONE);
    client.epoch = answer.memberEpoch();
    PartitionSet assignment = answer.assignment();
    if (assignment != null) {
      client.told = assignment;
      // What is taken away it goes on using until it comes to revoke; what is new it uses at once.
      PartitionSet.Builder both = new PartitionSet.Builder();
      client.uses.forEach(both::add);
      assignment.forEach(both::add);
      client.uses = both.build();
      client.hasNews = true;
    }
  }

  private static void revoke(Client client) {
    if (!client.uses.equals(client.told)) {
      client.uses = client.told;
      client.hasNews = true;
    }
  }

  private void check(long seed, int step) {
    SortedMap<String, String> users = new TreeMap<>();
    clients.forEach(
        (id, client) ->
            client.uses.forEach(
                (topicId, partition) -> {
                  String other = users.put(topicId + "-" + partition, id);
                  assertThat(other)
                      .as("seed %d, step %d: %s and %s", seed, step, other, id)
                      .isNull();
                }));
  }

  private void converge(long seed) {
    for (int round = 0; round < 40; round++) {
      for (String id : new ArrayList<>(clients.keySet())) {
        Client client = clients.get(id);
        revoke(client);
        beat(id, client, false);
        check(seed, STEPS + round);
      }
    }
    assertThat(table.group.state())
        .as("seed %d", seed)
        .isEqualTo(clients.isEmpty() ? ConsumerGroupState.EMPTY : ConsumerGroupState.STABLE);
    clients.forEach(
        (id, client) ->
            assertThat(client.uses)
                .as("seed %d: what %s uses is its target", seed, id)
                .isEqualTo(table.group.target(id)));
    everyPartitionIsUsed(seed);
    ConsumerGroup replayed = table.replayed();
    assertThat(members(replayed)).isEqualTo(members(table.group));
    assertThat(replayed.epoch()).isEqualTo(table.group.epoch());
    assertThat(replayed.targetEpoch()).isEqualTo(table.group.targetEpoch());
  }

  private static List<ConsumerMember> members(ConsumerGroup group) {
    return new ArrayList<>(group.members());
  }

  private void everyPartitionIsUsed(long seed) {
    for (String name : table.group.subscribedTopics()) {
      Uuid topicId = table.topics.idOf(name);
      for (int partition = 0; partition < table.topics.partitionsOf(topicId); partition++) {
        assertThat(table.group.holder(topicId, partition))
            .as("seed %d: %s-%d", seed, name, partition)
            .isNotNull();
      }
    }
  }
}
