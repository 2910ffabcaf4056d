package io.fencepost.txn.group;

import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.JoinCommand.ClientOrigin;
import io.fencepost.txn.group.JoinCommand.Timeouts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A group on a table: time moves by hand, records become durable at once or when told. */
final class GroupHarness {
  static final int SESSION_MS = 10_000;
  static final int REBALANCE_MS = 60_000;
  static final String ROUND_ROBIN = "roundrobin";

  ClassicGroup group;
  final List<GroupRecord> written = new ArrayList<>();
  final Deque<GroupEffects.Write> held = new ArrayDeque<>();
  boolean holdWrites;
  WireError writeError = WireError.NONE;
  boolean requireKnownMemberId;
  boolean supportsSkipAssignment = true;
  private long nowMs = 1_000_000;
  private int ids;

  GroupHarness() {
    this(GroupLimits.DEFAULT);
  }

  GroupHarness(GroupLimits limits) {
    group = new ClassicGroup("g", limits, now());
  }

  /** An answer that may be still to come. */
  static final class Box<T> {
    @Nullable T value;

    void set(T answer) {
      if (value != null) {
        throw new AssertionError("answered twice: " + value + " and " + answer);
      }
      value = answer;
    }

    T get() {
      if (value == null) {
        throw new AssertionError("no answer yet");
      }
      return value;
    }

    boolean isWaiting() {
      return value == null;
    }
  }

  Moment now() {
    return new Moment(nowMs, nowMs);
  }

  /** Moves time on and does what falls due on the way. */
  void pass(long ms) {
    long endMs = nowMs + ms;
    while (group.nextDeadlineMs() <= endMs) {
      nowMs = Math.max(nowMs, group.nextDeadlineMs());
      GroupEffects out = new GroupEffects();
      group.onTime(now(), out);
      run(out);
    }
    nowMs = endMs;
  }

  Box<JoinResult> join(String memberId, String... protocols) {
    return join(new MemberIdentity(memberId, null), protocols);
  }

  Box<JoinResult> joinStatic(String instanceId, String memberId, String... protocols) {
    return join(new MemberIdentity(memberId, instanceId), protocols);
  }

  Box<JoinResult> join(MemberIdentity identity, String... protocols) {
    String[] names = protocols.length == 0 ? new String[] {ROUND_ROBIN} : protocols;
    return join(identity, "consumer", SESSION_MS, names);
  }

  Box<JoinResult> join(
      MemberIdentity identity, String protocolType, int sessionMs, String... protocols) {
    List<GroupProtocol> supported =
        Arrays.stream(protocols)
            .map(name -> new GroupProtocol(name, name.getBytes(StandardCharsets.UTF_8)))
            .toList();
    Box<JoinResult> box = new Box<>();
    GroupEffects out = new GroupEffects();
    group.join(
        new JoinCommand(
            identity,
            "m" + ++ids,
            new ClientOrigin("client", "/127.0.0.1"),
            protocolType,
            supported,
            new Timeouts(sessionMs, REBALANCE_MS),
            requireKnownMemberId,
            supportsSkipAssignment),
        box::set,
        now(),
        out);
    run(out);
    return box;
  }

  Box<SyncResult> sync(String memberId, int generation, String... membersWithShares) {
    return sync(new MemberIdentity(memberId, null), generation, membersWithShares);
  }

  Box<SyncResult> sync(MemberIdentity identity, int generation, String... membersWithShares) {
    TreeMap<String, byte[]> shares = new TreeMap<>();
    for (String member : membersWithShares) {
      shares.put(member, ("share of " + member).getBytes(StandardCharsets.UTF_8));
    }
    Box<SyncResult> box = new Box<>();
    GroupEffects out = new GroupEffects();
    group.sync(new SyncCommand(identity, generation, null, null, shares), box::set, now(), out);
    run(out);
    return box;
  }

  WireError heartbeat(String memberId, int generation) {
    return group.heartbeat(new MemberIdentity(memberId, null), generation, now());
  }

  WireError leave(String memberId) {
    return leave(new MemberIdentity(memberId, null));
  }

  WireError leave(MemberIdentity identity) {
    GroupEffects out = new GroupEffects();
    WireError error = group.leave(identity, now(), out);
    run(out);
    return error;
  }

  void die() {
    GroupEffects out = new GroupEffects();
    group.die(WireError.NOT_COORDINATOR, now(), out);
    run(out);
  }

  /** Makes the oldest held record durable, or fails it. */
  void finishWrite(WireError error) {
    GroupEffects.Write write = held.remove();
    GroupEffects out = new GroupEffects();
    if (error == WireError.NONE) {
      written.add(write.record());
    }
    write.done().on(error, now(), out);
    run(out);
  }

  /** One dynamic member in a stable generation; answers its id. */
  String stable() {
    JoinResult joined = join("").get();
    sync(joined.memberId(), joined.generation(), joined.memberId());
    return joined.memberId();
  }

  static String text(SyncResult result) {
    return new String(result.assignment().bytes(), StandardCharsets.UTF_8);
  }

  private void run(GroupEffects out) {
    for (GroupEffects.Write write : out.writes()) {
      held.add(write);
      if (!holdWrites) {
        finishWrite(writeError);
      }
    }
    out.answers().forEach(Runnable::run);
  }
}
