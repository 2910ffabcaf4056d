package io.fencepost.txn.group;

import static io.fencepost.txn.group.GroupState.COMPLETING_REBALANCE;
import static io.fencepost.txn.group.GroupState.DEAD;
import static io.fencepost.txn.group.GroupState.EMPTY;
import static io.fencepost.txn.group.GroupState.PREPARING_REBALANCE;
import static io.fencepost.txn.group.GroupState.STABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.GroupHarness.Box;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Every pair of state and event, once. In each state but Empty and Dead the group has one member
 * "leader" (and, while Preparing, a second one that has not come back keeps it there).
 */
class GroupTableTest {
  /** What can happen to a group. */
  enum Event {
    NEW_MEMBER_JOINS,
    STRANGER_JOINS_WITH_AN_ID,
    LEADER_JOINS_AGAIN,
    LEADER_JOINS_WITH_OTHER_PROTOCOLS,
    LEADER_SYNCS,
    STRANGER_SYNCS,
    LEADER_SYNCS_OLD_GENERATION,
    LEADER_HEARTBEATS,
    LEADER_HEARTBEATS_OLD_GENERATION,
    LEADER_LEAVES,
    STRANGER_LEAVES,
    SESSIONS_END,
    LEADER_COMMITS,
    NOBODY_COMMITS,
    NOBODY_COMMITS_IN_TRANSACTION,
    SHARD_MOVES
  }

  /** A pair and what comes of it; no error means that the answer is not there yet. */
  record Row(GroupState from, Event event, GroupState to, @Nullable WireError error) {}

  private static final WireError NONE = WireError.NONE;
  private static final WireError UNKNOWN = WireError.UNKNOWN_MEMBER_ID;
  private static final WireError REBALANCE = WireError.REBALANCE_IN_PROGRESS;
  private static final WireError STALE = WireError.ILLEGAL_GENERATION;
  private static final WireError GONE = WireError.COORDINATOR_NOT_AVAILABLE;

  private static List<Row> table() {
    List<Row> rows = new ArrayList<>();
    for (Event event : Event.values()) {
      rows.add(
          switch (event) {
            case NEW_MEMBER_JOINS -> new Row(EMPTY, event, COMPLETING_REBALANCE, NONE);
            case NOBODY_COMMITS, NOBODY_COMMITS_IN_TRANSACTION ->
                new Row(EMPTY, event, EMPTY, NONE);
            case SHARD_MOVES -> new Row(EMPTY, event, DEAD, NONE);
            case SESSIONS_END -> new Row(EMPTY, event, EMPTY, NONE);
            default -> new Row(EMPTY, event, EMPTY, UNKNOWN);
          });
      rows.add(
          switch (event) {
            case NEW_MEMBER_JOINS -> new Row(PREPARING_REBALANCE, event, PREPARING_REBALANCE, null);
            case LEADER_JOINS_AGAIN, LEADER_JOINS_WITH_OTHER_PROTOCOLS ->
                new Row(PREPARING_REBALANCE, event, COMPLETING_REBALANCE, NONE);
            case LEADER_SYNCS, LEADER_HEARTBEATS ->
                new Row(PREPARING_REBALANCE, event, PREPARING_REBALANCE, REBALANCE);
            case LEADER_SYNCS_OLD_GENERATION, LEADER_HEARTBEATS_OLD_GENERATION ->
                new Row(PREPARING_REBALANCE, event, PREPARING_REBALANCE, STALE);
            case LEADER_LEAVES -> new Row(PREPARING_REBALANCE, event, COMPLETING_REBALANCE, NONE);
            case SESSIONS_END -> new Row(PREPARING_REBALANCE, event, COMPLETING_REBALANCE, NONE);
            case LEADER_COMMITS, NOBODY_COMMITS_IN_TRANSACTION ->
                new Row(PREPARING_REBALANCE, event, PREPARING_REBALANCE, NONE);
            case SHARD_MOVES -> new Row(PREPARING_REBALANCE, event, DEAD, NONE);
            case STRANGER_JOINS_WITH_AN_ID, STRANGER_SYNCS, STRANGER_LEAVES, NOBODY_COMMITS ->
                new Row(PREPARING_REBALANCE, event, PREPARING_REBALANCE, UNKNOWN);
          });
      rows.add(
          switch (event) {
            case NEW_MEMBER_JOINS ->
                new Row(COMPLETING_REBALANCE, event, PREPARING_REBALANCE, null);
            case LEADER_JOINS_AGAIN, LEADER_JOINS_WITH_OTHER_PROTOCOLS ->
                new Row(COMPLETING_REBALANCE, event, COMPLETING_REBALANCE, NONE);
            case LEADER_SYNCS -> new Row(COMPLETING_REBALANCE, event, STABLE, NONE);
            case LEADER_HEARTBEATS, NOBODY_COMMITS_IN_TRANSACTION ->
                new Row(COMPLETING_REBALANCE, event, COMPLETING_REBALANCE, NONE);
            case LEADER_SYNCS_OLD_GENERATION, LEADER_HEARTBEATS_OLD_GENERATION ->
                new Row(COMPLETING_REBALANCE, event, COMPLETING_REBALANCE, STALE);
            case LEADER_LEAVES, SESSIONS_END -> new Row(COMPLETING_REBALANCE, event, EMPTY, NONE);
            case LEADER_COMMITS ->
                new Row(COMPLETING_REBALANCE, event, COMPLETING_REBALANCE, REBALANCE);
            case SHARD_MOVES -> new Row(COMPLETING_REBALANCE, event, DEAD, NONE);
            case STRANGER_JOINS_WITH_AN_ID, STRANGER_SYNCS, STRANGER_LEAVES, NOBODY_COMMITS ->
                new Row(COMPLETING_REBALANCE, event, COMPLETING_REBALANCE, UNKNOWN);
          });
      rows.add(
          switch (event) {
            case NEW_MEMBER_JOINS -> new Row(STABLE, event, PREPARING_REBALANCE, null);
            case LEADER_JOINS_AGAIN, LEADER_JOINS_WITH_OTHER_PROTOCOLS ->
                new Row(STABLE, event, COMPLETING_REBALANCE, NONE);
            case LEADER_SYNCS, LEADER_HEARTBEATS, LEADER_COMMITS, NOBODY_COMMITS_IN_TRANSACTION ->
                new Row(STABLE, event, STABLE, NONE);
            case LEADER_SYNCS_OLD_GENERATION, LEADER_HEARTBEATS_OLD_GENERATION ->
                new Row(STABLE, event, STABLE, STALE);
            case LEADER_LEAVES, SESSIONS_END -> new Row(STABLE, event, EMPTY, NONE);
            case SHARD_MOVES -> new Row(STABLE, event, DEAD, NONE);
            case STRANGER_JOINS_WITH_AN_ID, STRANGER_SYNCS, STRANGER_LEAVES, NOBODY_COMMITS ->
                new Row(STABLE, event, STABLE, UNKNOWN);
          });
      rows.add(
          event == Event.SESSIONS_END || event == Event.SHARD_MOVES
              ? new Row(DEAD, event, DEAD, NONE)
              : new Row(DEAD, event, DEAD, GONE));
    }
    return rows;
  }

  @Test
  void every_event_in_every_state_does_what_the_table_says() {
    List<Row> table = table();
    assertThat(table).hasSize(GroupState.values().length * Event.values().length);
    for (Row row : table) {
      Scene scene = new Scene(row.from());
      assertThat(scene.harness.group.state()).as("scene of %s", row).isEqualTo(row.from());
      WireError error = scene.play(row.event());
      assertThat(scene.harness.group.state()).as("%s", row).isEqualTo(row.to());
      assertThat(error).as("%s", row).isEqualTo(row.error());
    }
  }

  /** A group brought into a state, and its leader. */
  private static final class Scene {
    final GroupHarness harness = new GroupHarness();
    private String leader = "nobody";

    Scene(GroupState state) {
      switch (state) {
        case EMPTY -> {}
        case PREPARING_REBALANCE -> {
          leader = harness.stable();
          harness.join("");
        }
        case COMPLETING_REBALANCE -> leader = harness.join("").get().memberId();
        case STABLE -> leader = harness.stable();
        case DEAD -> harness.die();
      }
    }

    @Nullable WireError play(Event event) {
      ClassicGroup group = harness.group;
      int generation = group.generation();
      MemberIdentity nobody = new MemberIdentity("", null);
      return switch (event) {
        case NEW_MEMBER_JOINS -> joined(harness.join(""));
        case STRANGER_JOINS_WITH_AN_ID -> joined(harness.join("stranger"));
        case LEADER_JOINS_AGAIN -> joined(harness.join(leader));
        case LEADER_JOINS_WITH_OTHER_PROTOCOLS ->
            joined(harness.join(leader, GroupHarness.ROUND_ROBIN, "range"));
        case LEADER_SYNCS -> synced(harness.sync(leader, generation, leader));
        case STRANGER_SYNCS -> synced(harness.sync("stranger", generation));
        case LEADER_SYNCS_OLD_GENERATION -> synced(harness.sync(leader, generation - 1));
        case LEADER_HEARTBEATS -> harness.heartbeat(leader, generation);
        case LEADER_HEARTBEATS_OLD_GENERATION -> harness.heartbeat(leader, generation - 1);
        case LEADER_LEAVES -> harness.leave(leader);
        case STRANGER_LEAVES -> harness.leave("stranger");
        case SESSIONS_END -> {
          harness.pass(GroupHarness.SESSION_MS);
          yield WireError.NONE;
        }
        case LEADER_COMMITS ->
            group.checkCommit(new MemberIdentity(leader, null), generation, false);
        case NOBODY_COMMITS -> group.checkCommit(nobody, -1, false);
        case NOBODY_COMMITS_IN_TRANSACTION -> group.checkCommit(nobody, -1, true);
        case SHARD_MOVES -> {
          harness.die();
          yield WireError.NONE;
        }
      };
    }

    private static @Nullable WireError joined(Box<JoinResult> box) {
      return box.value == null ? null : box.value.error();
    }

    private static @Nullable WireError synced(Box<SyncResult> box) {
      return box.value == null ? null : box.value.error();
    }
  }
}
