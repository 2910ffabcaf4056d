package io.fencepost.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.AbortedTxn;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Producers that retry until they are answered, transactions, and a broker that stops, is killed,
 * loses power, has a disk that is full, read-only or failing. Checked after each step and each
 * restart: L1 to L6.
 */
class PartitionCrashTest {
  private static final int STEPS = 250;
  private static final int PRODUCERS = 3;

  /** A producer as a client is: one batch in flight, sent again until an answer comes. */
  private static final class Client {
    final long id;
    int epoch;
    int sequence;
    boolean inTransaction;
    ByteBuffer unanswered;
    int unansweredCount;
    List<AppendResult> answer = List.of();

    Client(long id) {
      this.id = id;
    }
  }

  static LongStream seeds() {
    String given = System.getProperty("fencepost.seed", "");
    return given.isEmpty() ? LongStream.range(0, 25) : LongStream.of(Long.decode(given));
  }

  private ReplicaFixture fixture;
  private final List<Client> clients = new ArrayList<>();

  /** Base offset to producer and first sequence of what was acknowledged. */
  private final TreeMap<Long, String> acknowledged = new TreeMap<>();

  private long lastStable;
  private int restarts;

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void l1_to_l6_hold_through_stops_kills_and_power_failures(long seed) {
    fixture = new ReplicaFixture(FlushPolicy.GROUP, seed);
    for (long id = 0; id < PRODUCERS; id++) {
      clients.add(new Client(id));
    }
    for (int step = 0; step < STEPS; step++) {
      try {
        step();
        check();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", step " + step, e);
      }
    }
    healDisk();
    for (Client client : clients) {
      settle(client);
      if (client.inTransaction) {
        end(client, false);
      }
    }
    assertThat(fixture.gate.lastStableOffset())
        .as("E1: all transactions have ended, seed %d", seed)
        .isEqualTo(fixture.gate.logEndOffset());
    assertThat(restarts).as("a run without restarts proves nothing").isPositive();
    assertThat(acknowledged).isNotEmpty();
  }

  private void step() {
    Client client = clients.get(fixture.entropy.nextInt(PRODUCERS));
    int draw = fixture.entropy.nextInt(100);
    if (draw < 60) {
      send(client);
    } else if (draw < 75) {
      fixture.scheduler.runFor(1);
    } else if (draw < 87) {
      settle(client);
      if (client.inTransaction) {
        end(client, fixture.entropy.oneOf(500));
      }
    } else if (draw < 90) {
      fixture.disk.failNextForce();
    } else if (draw < 92) {
      fixture.disk.failNextAppend();
    } else if (draw < 94) {
      fixture.disk.fill(fixture.entropy.nextInt(600));
    } else if (draw < 95) {
      fixture.disk.readOnly(true);
    } else {
      restart();
    }
  }

  private void healDisk() {
    fixture.disk.free();
    fixture.disk.readOnly(false);
  }

  private void restart() {
    restarts++;
    healDisk();
    switch (fixture.entropy.nextInt(3)) {
      case 0 -> {
        boolean isClean = fixture.stop();
        assertThat(fixture.check())
            .as("a check after a stop, saved: %s", isClean)
            .noneMatch(found -> isClean || found.isDamage());
      }
      case 1 -> {
        fixture.kill();
        assertThat(fixture.check()).as("a check after a kill").noneMatch(Finding::isDamage);
      }
      default -> {
        fixture.crash();
        // What was not durable may lie there in shreds; all the rest must be whole.
        assertThat(fixture.check())
            .as("a check after a power failure")
            .noneMatch(found -> found.isDamage() && !found.file().endsWith(".log"));
      }
    }
    fixture.open();
    for (Client client : clients) {
      if (client.answer.isEmpty()) {
        client.answer = List.of();
      }
      if (client.unanswered != null && client.answer.isEmpty()) {
        client.answer = lost();
      }
    }
    lastStable = Math.min(lastStable, fixture.gate.lastStableOffset());
  }

  private static List<AppendResult> lost() {
    return List.of(
        AppendResult.refused(io.fencepost.broker.wire.WireError.NETWORK_EXCEPTION, -1, null));
  }

  private void send(Client client) {
    take(client);
    if (client.unanswered != null && client.answer.isEmpty()) {
      return;
    }
    if (client.unanswered == null) {
      client.unansweredCount = 1 + fixture.entropy.nextInt(4);
      boolean transactional = client.id > 0;
      client.inTransaction |= transactional;
      client.unanswered =
          transactional
              ? ReplicaFixture.transactional(
                  client.id, client.epoch, client.sequence, client.unansweredCount)
              : ReplicaFixture.idempotent(
                  client.id, client.epoch, client.sequence, client.unansweredCount);
    }
    transmit(client);
  }

  private void transmit(Client client) {
    ByteBuffer copy = ByteBuffer.allocate(client.unanswered.remaining());
    copy.put(client.unanswered.duplicate()).flip();
    if (client.id > 0) {
      client.answer =
          fixture.sendInTransaction(
              client.id, client.epoch, client.sequence, client.unansweredCount);
    } else {
      client.answer = fixture.send(copy);
    }
  }

  /** If the batch was acknowledged, remembers where, and moves on. */
  private void take(Client client) {
    if (client.unanswered == null || client.answer.isEmpty()) {
      return;
    }
    AppendResult result = client.answer.get(0);
    if (result.isOk()) {
      String old = acknowledged.put(result.baseOffset(), client.id + "/" + client.sequence);
      assertThat(old).as("two batches acknowledged at %d", result.baseOffset()).isNull();
      client.sequence += client.unansweredCount;
      client.unanswered = null;
      client.answer = List.of();
      return;
    }
    assertThat(result.error().isRetriable())
        .as("client %d epoch %d sequence %d: %s", client.id, client.epoch, client.sequence, result)
        .isTrue();
  }

  private void settle(Client client) {
    healDisk();
    for (int i = 0; client.unanswered != null && i < 20; i++) {
      fixture.scheduler.runFor(1);
      fixture.replicas.repair();
      take(client);
      if (client.unanswered != null && !client.answer.isEmpty()) {
        transmit(client);
      }
    }
    assertThat(client.unanswered).as("20 tries were not enough").isNull();
  }

  private void end(Client client, boolean commit) {
    for (int i = 0; i < 20; i++) {
      List<AppendResult> results = fixture.mark(client.id, client.epoch + 1, commit);
      fixture.scheduler.runFor(1);
      fixture.replicas.repair();
      assertThat(results).hasSize(1);
      if (results.get(0).isOk()) {
        client.epoch++;
        client.sequence = 0;
        client.inTransaction = false;
        return;
      }
      assertThat(results.get(0).error().isRetriable()).as("%s", results).isTrue();
    }
    throw new AssertionError("20 tries were not enough");
  }

  private void check() {
    fixture.replicas.repair();
    PartitionGate gate = fixture.gate;
    assertThat(gate.lastStableOffset()).as("L3").isLessThanOrEqualTo(gate.highWatermark());
    assertThat(gate.highWatermark()).as("L3").isLessThanOrEqualTo(gate.logEndOffset());
    assertThat(gate.lastStableOffset()).as("L3: never back").isGreaterThanOrEqualTo(lastStable);
    lastStable = gate.lastStableOffset();
    TreeMap<Long, String> present = new TreeMap<>();
    TreeMap<Long, Long> openSince = new TreeMap<>();
    List<AbortedTxn> expected = new ArrayList<>();
    scan(present, openSince, expected);
    acknowledged.forEach(
        (offset, batch) ->
            assertThat(present.get(offset))
                .as("L1, L6: acknowledged at %d", offset)
                .isEqualTo(batch));
    checkAborted(expected);
  }

  /** Reads all that is committed, and works out what it means in the simplest way. */
  private void scan(
      TreeMap<Long, String> present,
      TreeMap<Long, Long> openSince,
      List<AbortedTxn> expectedAborted) {
    TreeMap<String, Long> nextSequence = new TreeMap<>();
    BatchView view = new BatchView();
    long offset = 0;
    while (offset < fixture.gate.highWatermark()) {
      ByteBuffer bytes = fixture.gate.read(offset, 1 << 20);
      for (int at = bytes.position(); at < bytes.limit(); at += view.sizeBytes()) {
        view.wrap(bytes, at);
        assertThat(view.baseOffset()).as("no hole").isEqualTo(offset);
        assertThat(view.crc()).as("L6: no torn batch").isEqualTo(view.computeCrc());
        offset = view.nextOffset();
        if (view.isControl()) {
          Long first = openSince.remove(view.producerId());
          ControlMarker marker = ControlMarker.of(view);
          if (first != null && marker != null && !marker.commit()) {
            expectedAborted.add(new AbortedTxn(view.producerId(), first, view.baseOffset(), 0));
          }
          continue;
        }
        present.put(view.baseOffset(), view.producerId() + "/" + view.baseSequence());
        String session = view.producerId() + "/" + view.producerEpoch();
        assertThat((long) view.baseSequence())
            .as("L2: sequences of %s at %d", session, view.baseOffset())
            .isEqualTo(nextSequence.getOrDefault(session, 0L));
        nextSequence.put(session, view.lastSequence() + 1L);
        if (view.isTransactional()) {
          openSince.putIfAbsent(view.producerId(), view.baseOffset());
        }
      }
    }
  }

  private void checkAborted(List<AbortedTxn> expected) {
    long from = fixture.entropy.nextInt((int) fixture.gate.logEndOffset() + 1);
    FetchResult result = fixture.fetch(from, Isolation.COMMITTED);
    if (result.records().sizeBytes() == 0) {
      return;
    }
    ByteBuffer bytes = result.records().toBuffer();
    BatchView view = new BatchView();
    long first = view.wrap(bytes, bytes.position()).baseOffset();
    long next = first;
    for (int at = bytes.position(); at < bytes.limit(); at += view.sizeBytes()) {
      next = view.wrap(bytes, at).nextOffset();
    }
    assertThat(next).as("nothing at or above the LSO").isLessThanOrEqualTo(lastStable);
    List<String> wanted = new ArrayList<>();
    for (AbortedTxn txn : expected) {
      if (txn.lastOffset() >= first && txn.firstOffset() < next) {
        wanted.add(txn.firstOffset() + " by " + txn.producerId());
      }
    }
    assertThat(result.aborted())
        .as("L5: aborted in [%d, %d)", first, next)
        .extracting(txn -> txn.firstOffset() + " by " + txn.producerId())
        .containsExactlyInAnyOrderElementsOf(wanted);
    assertThat(result.aborted()).extracting(AbortedTxn::firstOffset).isSorted();
  }
}
