package io.fencepost.txn.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.txn.check.CoordinatorRows;
import io.fencepost.txn.group.CommitCommand.Transaction;
import io.fencepost.txn.shard.ShardCheck;
import io.fencepost.txn.table.Keys;
import io.fencepost.txn.table.Table;
import io.fencepost.txn.table.WriteSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A check compares every row of the groups with what their log says, and names what differs. */
class RowsAgainstLogTest {
  private static final TopicPartition LOG = new TopicPartition(SimGroups.TOPIC, 0);
  private static final Map<Table, String> NAMES =
      new EnumMap<>(
          Map.of(
              Table.GROUPS, "group classic",
              Table.CONSUMER_GROUPS, "group newer (",
              Table.COMMITTED_OFFSETS, "group simple in t-0",
              Table.STAGED_OFFSETS, "staged"));

  private final SimGroups sim = new SimGroups(7);

  @BeforeEach
  void work() {
    sim.topic("t", 4);
    var joined = sim.join("classic", "").get();
    sim.sync("classic", joined.memberId(), joined.generation());
    sim.beat("newer", "a", 0);
    sim.commit("simple", "", -1, 42);
    sim.commit("stages", "", -1, 43, new Transaction(9, (short) 0));
    sim.scheduler.runFor(5);
  }

  private List<Finding> check() {
    List<Finding> findings = new ArrayList<>();
    ShardCheck<GroupShard> check =
        new ShardCheck<>(
            LOG,
            sim.log.topicId(),
            new ShardCheck.Rows(sim.tables, "rows", CoordinatorRows::name),
            rows -> new GroupShard(rows, GroupLimits.DEFAULT, sim.clock, later -> {}),
            findings::add);
    ByteBuffer log = sim.log.read(0, 1 << 20);
    BatchView batch = new BatchView();
    for (int at = 0; at < log.limit(); at += batch.sizeBytes()) {
      check.onBatch(batch.wrap(log, at));
    }
    check.finish();
    return findings;
  }

  private void put(Table table, byte[] key, byte[] value) {
    WriteSet change = new WriteSet();
    if (value == null) {
      change.delete(table, key);
    } else {
      change.put(table, key, value);
    }
    sim.tables.write(change);
  }

  private void expect(Table table, String what) {
    assertThat(check())
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.isDamage()).isTrue();
              assertThat(found.file()).isEqualTo("rows");
              assertThat(found.sentence())
                  .startsWith(table.label() + ": ")
                  .contains(NAMES.get(table), what, LOG.toString());
            });
  }

  @Test
  void every_row_that_is_missing_changed_or_too_many_is_named() {
    assertThat(check()).isEmpty();
    for (Table table : NAMES.keySet()) {
      TreeMap<byte[], byte[]> rows = new TreeMap<>(java.util.Arrays::compareUnsigned);
      sim.tables.scan(table, Keys.of(0), (key, value) -> rows.put(key, value) == null);
      assertThat(rows).as("%s", table).isNotEmpty();
      for (Map.Entry<byte[], byte[]> row : rows.entrySet()) {
        byte[] key = row.getKey();
        put(table, key, null);
        expect(table, "is missing");
        put(table, key, Keys.join(row.getValue(), new byte[1]));
        expect(table, "says something else than the log");
        put(table, key, row.getValue());
        byte[] other = Keys.join(key, new byte[] {'x'});
        put(table, other, row.getValue());
        assertThat(check())
            .singleElement()
            .satisfies(found -> assertThat(found.sentence()).contains("is not in the log"));
        put(table, other, null);
      }
    }
    assertThat(check()).isEmpty();
  }

  @Test
  void the_rows_of_a_group_of_the_newer_protocol_say_what_it_is() {
    List<Object> about = new ArrayList<>();
    sim.tables.scan(
        Table.CONSUMER_GROUPS,
        Keys.of(0),
        (key, value) -> {
          Map<String, Object> fields = CoordinatorRows.describe(Table.CONSUMER_GROUPS, key, value);
          assertThat(fields).containsEntry("group", "newer").doesNotContainKey("deleted");
          about.add(fields.get("about"));
          if ("progress".equals(fields.get("about"))) {
            assertThat(fields).containsEntry("memberId", "a").containsEntry("epoch", 2);
            assertThat((List<?>) fields.get("assigned")).hasSize(4);
          }
          return true;
        });
    assertThat(about).containsExactly("epoch", "member", "targets", "target", "progress");
  }
}
