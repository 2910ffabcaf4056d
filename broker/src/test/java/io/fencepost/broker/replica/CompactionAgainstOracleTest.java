package io.fencepost.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchCheck;
import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.AbortedTxn;
import io.fencepost.broker.log.Compaction;
import io.fencepost.broker.log.CompactionConfig;
import io.fencepost.broker.log.KeyOffsets;
import io.fencepost.broker.log.LogConfig;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.producer.ProducedBatch;
import io.fencepost.broker.producer.TxnGuard;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A compacted partition against a list of all that was ever written to it: plain, idempotent and
 * transactional writers, tombstones, and a compaction that goes on step by step in between, through
 * stops, kills, power failures after any single disk operation, full disks and lost snapshots.
 *
 * <p>After each step the newest record of each key is the same for a reader of committed records;
 * whatever is left was written just so; nothing decided is missing but what a newer record or an
 * old tombstone explains; no transaction is open that was not; every producer is known as before.
 */
class CompactionAgainstOracleTest {
  private static final int STEPS = 400;
  private static final int PRODUCERS = 4;
  private static final int KEYS = 12;

  static LongStream seeds() {
    String given = System.getProperty("fencepost.seed", "");
    return given.isEmpty()
        ? LongStream.range(0, Long.getLong("fencepost.seeds", 60))
        : LongStream.of(Long.decode(given));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void l6_compaction_changes_no_view_by_key_whatever_happens_meanwhile(long seed) {
    Run run = new Run(seed);
    for (int step = 0; step < STEPS; step++) {
      try {
        run.step();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "seed " + seed + ", step " + step + " after " + run.lastSteps(), e);
      }
    }
  }

  @Test
  void the_runs_compact_drop_records_and_survive_power_failures_inside_a_swap() {
    int done = 0;
    int cut = 0;
    long dropped = 0;
    for (long seed = 500; seed < 520; seed++) {
      Run run = new Run(seed);
      for (int step = 0; step < STEPS; step++) {
        run.step();
      }
      done += run.compactions;
      cut += run.cutInCompaction;
      dropped += run.dropped;
    }
    assertThat(done).as("finished runs").isGreaterThan(50);
    assertThat(cut).as("power failures while compacting").isGreaterThan(20);
    assertThat(dropped).as("records that went").isGreaterThan(1000);
  }

  /** One that was written; value null for a tombstone. */
  private record Written(
      long offset, String key, String value, long timestamp, long producer, boolean transactional) {
    String content() {
      return offset + "@" + timestamp + "=" + value;
    }
  }

  private static final class Client {
    int epoch;
    int sequence;
    boolean inTransaction;
  }

  private static final class Run {
    final SimEntropy entropy;
    final ReplicaFixture fixture;
    final List<Client> clients = new ArrayList<>();
    final TreeMap<Long, Written> written = new TreeMap<>();

    /** Marker offset → producer; negative (-1 - id) for an abort. */
    final TreeMap<Long, Long> markers = new TreeMap<>();

    final List<String> trace = new ArrayList<>();
    final KeyOffsets newest;
    long learned;
    Compaction running;
    int compactions;
    int cutInCompaction;
    long dropped;

    Run(long seed) {
      entropy = new SimEntropy(seed).named("compaction");
      fixture =
          new ReplicaFixture(entropy.nextInt(4) == 0 ? FlushPolicy.OS : FlushPolicy.GROUP, seed);
      CompactionConfig compaction =
          new CompactionConfig(
              entropy.nextInt(3) * 0.2,
              entropy.nextInt(3) == 0 ? 20 : 0,
              entropy.nextInt(3) == 0 ? 50 : Long.MAX_VALUE,
              entropy.nextInt(4) * 30L);
      fixture.config =
          fixture
              .config
              .withLog(
                  LogConfig.defaults()
                      .withSegmentBytes(400 + entropy.nextInt(1200))
                      .withIndex(entropy.nextInt(300), 1 << 20))
              .withCleanup(true, false, compaction);
      fixture.gate.configure(fixture.config).run();
      newest = new KeyOffsets(24L * (16 + entropy.nextInt(20)));
      for (int i = 0; i < PRODUCERS; i++) {
        clients.add(new Client());
      }
    }

    List<String> lastSteps() {
      return trace.subList(Math.max(0, trace.size() - 25), trace.size());
    }

    void step() {
      int draw = entropy.nextInt(100);
      fixture.clock.advanceMs(1);
      try {
        act(draw);
      } catch (DiskException e) {
        if (!fixture.disk.isPowerOff()) {
          trace.add("refused: " + e.getMessage());
        }
        if (running != null) {
          cutInCompaction += fixture.disk.isPowerOff() ? 1 : 0;
          fixture.gate.compaction().abandon(running);
          running = null;
        }
      }
      if (fixture.disk.isPowerOff()) {
        restart(2);
      }
      learn();
      check();
    }

    private void act(int draw) {
      if (draw < 25) {
        send(-1);
      } else if (draw < 40) {
        send(0);
      } else if (draw < 60) {
        send(1 + entropy.nextInt(PRODUCERS - 1));
      } else if (draw < 68) {
        end(1 + entropy.nextInt(PRODUCERS - 1));
      } else if (draw < 74) {
        trace.add("settle");
        fixture.scheduler.runFor(1);
        fixture.replicas.repair();
      } else if (draw < 90) {
        compact(1 + entropy.nextInt(8));
      } else if (draw < 92) {
        fixture.clock.advanceMs(40);
      } else if (draw < 94) {
        trace.add("fill");
        fixture.disk.fill(entropy.nextInt(300));
        compact(6);
        send(-1);
        fixture.disk.free();
      } else if (draw < 96) {
        trace.add("power off soon");
        fixture.disk.powerOffIn(entropy.nextInt(25));
        compact(30);
      } else {
        restart(entropy.nextInt(4));
      }
    }

    private void compact(int steps) {
      for (int i = 0; i < steps; i++) {
        if (running == null) {
          running = fixture.gate.compaction().begin(newest);
          if (running == null) {
            return;
          }
          trace.add("begin");
        } else if (!running.step()) {
          fixture.gate.compaction().settle(running);
          trace.add("settled");
          if (running.isDone()) {
            compactions++;
            running = null;
          }
        }
      }
    }

    private void send(int id) {
      if (id >= 0 && clients.get(id).sequence > 0 && entropy.nextInt(40) == 0) {
        return;
      }
      BatchWriter batch = BatchWriter.at(0);
      int count = 1 + entropy.nextInt(3);
      Client client = id < 0 ? null : clients.get(id);
      if (client != null) {
        batch.producer(id, (short) client.epoch, client.sequence);
      }
      TxnGuard guard = null;
      if (id > 0) {
        batch.transactional();
        guard =
            fixture.gate.guardFor(
                new ProducedBatch(
                    id, (short) client.epoch, client.sequence, client.sequence + count - 1, true),
                true);
      }
      for (int i = 0; i < count; i++) {
        byte[] key = ("k" + entropy.nextInt(KEYS)).getBytes(StandardCharsets.UTF_8);
        byte[] value = null;
        if (entropy.nextInt(4) > 0) {
          value = ("v" + written.size() + "." + i).getBytes(StandardCharsets.UTF_8);
        }
        batch.add(fixture.clock.wallMillis() - entropy.nextInt(5), key, value);
      }
      long before = fixture.gate.logEndOffset();
      fixture.send(batch.build(), AppendRequest.ACKS_ALL, guard);
      if (client != null && fixture.gate.logEndOffset() > before) {
        client.sequence += count;
        client.inTransaction |= id > 0;
      }
      trace.add("send " + id + "@" + before);
    }

    private void end(int id) {
      Client client = clients.get(id);
      if (client.inTransaction) {
        boolean commit = entropy.nextInt(2) == 0;
        long before = fixture.gate.logEndOffset();
        fixture.mark(id, client.epoch + 1, commit);
        trace.add("mark " + id + " " + commit + "@" + before);
        if (fixture.gate.logEndOffset() > before) {
          client.inTransaction = false;
          client.epoch++;
          client.sequence = 0;
        }
      }
    }

    private void restart(int how) {
      trace.add("restart " + how + "@" + fixture.gate.logEndOffset());
      final long acknowledged = fixture.gate.highWatermark();
      final long end = fixture.gate.logEndOffset();
      final List<String> producers = producers();
      learn();
      running = null;
      fixture.disk.free();
      switch (how) {
        case 0 -> {
          fixture.stop();
          assertHealthy();
          fixture.open();
        }
        case 1 -> {
          fixture.kill();
          assertHealthy();
          fixture.open();
        }
        case 2 -> fixture.crashAndOpen();
        default -> {
          fixture.replicas.close(true);
          fixture.scheduler.clear();
          loseWhatCanBeRebuilt();
          fixture.open();
        }
      }
      if (fixture.config.flush() == FlushPolicy.GROUP) {
        assertThat(fixture.gate.logEndOffset())
            .as("acknowledged")
            .isGreaterThanOrEqualTo(acknowledged);
      }
      if (fixture.gate.logEndOffset() == end) {
        assertThat(producers()).as("producers after restart %d", how).isEqualTo(producers);
      } else {
        forgetFrom(fixture.gate.logEndOffset());
      }
    }

    private void assertHealthy() {
      assertThat(fixture.check()).as("an offline check").noneMatch(Finding::isDamage);
    }

    private void loseWhatCanBeRebuilt() {
      boolean allSnapshots = entropy.nextInt(3) == 0;
      for (String name : fixture.disk.list("orders-0")) {
        if ((name.endsWith(".snapshot") && (allSnapshots || entropy.nextInt(3) > 0))
            || (name.equals("recovery-point") && entropy.nextInt(2) == 0)
            || (name.equals("compacted-offset") && entropy.nextInt(2) == 0)
            || (name.endsWith("index") && entropy.nextInt(2) == 0)) {
          fixture.disk.delete("orders-0/" + name);
        }
      }
    }

    private List<String> producers() {
      List<String> known = new ArrayList<>();
      for (ActiveProducer producer : fixture.gate.activeProducers()) {
        known.add(
            "%d epoch %d sequence %d open %d"
                .formatted(
                    producer.producerId(),
                    producer.producerEpoch(),
                    producer.lastSequence(),
                    producer.openFirstOffset()));
      }
      return known;
    }

    private void forgetFrom(long end) {
      written.tailMap(end).clear();
      markers.tailMap(end).clear();
      learned = Math.min(learned, end);
      for (int id = 0; id < PRODUCERS; id++) {
        Client client = clients.get(id);
        client.inTransaction = false;
        for (ActiveProducer producer : fixture.gate.activeProducers()) {
          if (producer.producerId() == id) {
            client.epoch = producer.producerEpoch();
            client.sequence = producer.lastSequence() + 1;
            client.inTransaction = producer.openFirstOffset() >= 0;
          }
        }
      }
    }

    /** Takes note of what has come to the end of the log. */
    private void learn() {
      read(
          Isolation.LOG_END,
          learned,
          (batch, aborted) -> {
            if (batch.baseOffset() < learned) {
              return;
            }
            if (batch.isControl()) {
              boolean commit = ControlMarker.of(batch).commit();
              long id = batch.producerId();
              markers.put(batch.baseOffset(), commit ? id : -1 - id);
            } else {
              records(batch).forEach(record -> written.put(record.offset(), record));
            }
            learned = batch.nextOffset();
          });
    }

    private interface Reader {
      void batch(BatchView batch, List<AbortedTxn> aborted);
    }

    private void read(Isolation isolation, long from, Reader reader) {
      long end =
          switch (isolation) {
            case LOG_END -> fixture.gate.logEndOffset();
            case HIGH_WATERMARK -> fixture.gate.highWatermark();
            case COMMITTED -> fixture.gate.lastStableOffset();
          };
      long at = from;
      while (at < end) {
        FetchResult result = fixture.gate.fetch(new FetchRead(-1, at, 700, true, isolation));
        assertThat(result.error())
            .as("fetch at %d", at)
            .isEqualTo(io.fencepost.broker.wire.WireError.NONE);
        ByteBuffer bytes = result.records().toBuffer();
        assertThat(bytes.remaining()).as("bytes at %d below %d", at, end).isPositive();
        List<AbortedTxn> aborted = new ArrayList<>();
        if (result.aborted() != null) {
          aborted.addAll(result.aborted());
        }
        BatchView batch = new BatchView();
        for (int p = bytes.position(); p < bytes.limit(); p += batch.sizeBytes()) {
          assertThat(BatchCheck.check(bytes, p)).isEqualTo(BatchCheck.Verdict.GOOD);
          batch.wrap(bytes, p);
          assertThat(batch.lastOffset()).isGreaterThanOrEqualTo(at);
          at = batch.nextOffset();
          reader.batch(batch, aborted);
        }
      }
    }

    private static List<Written> records(BatchView batch) {
      List<Written> found = new ArrayList<>();
      RecordIterator records = RecordIterator.of(batch);
      while (records.next()) {
        ByteBuffer value = records.record().value();
        found.add(
            new Written(
                records.record().offset(),
                StandardCharsets.UTF_8.decode(records.record().key()).toString(),
                value == null ? null : StandardCharsets.UTF_8.decode(value).toString(),
                records.record().timestamp(),
                batch.producerId(),
                batch.isTransactional()));
      }
      return found;
    }

    void check() {
      TreeSet<Long> abortedOffsets = new TreeSet<>();
      long stable = fixture.gate.highWatermark();
      TreeMap<Long, List<Long>> open = new TreeMap<>();
      for (long offset = 0; offset < learned; offset++) {
        Written record = written.get(offset);
        Long marker = markers.get(offset);
        if (record != null && record.transactional()) {
          open.computeIfAbsent(record.producer(), id -> new ArrayList<>()).add(offset);
        } else if (marker != null) {
          List<Long> ended = open.remove(marker < 0 ? -1 - marker : marker);
          // A marker that may still be lost decides nothing.
          if (ended != null && offset >= fixture.gate.highWatermark()) {
            stable = Math.min(stable, ended.get(0));
          } else if (ended != null && marker < 0) {
            abortedOffsets.addAll(ended);
          }
        }
      }
      for (List<Long> undecided : open.values()) {
        stable = Math.min(stable, undecided.get(0));
      }
      assertThat(fixture.gate.lastStableOffset()).as("LSO").isEqualTo(stable);
      TreeMap<String, Written> newestByKey = new TreeMap<>();
      for (Written record : written.headMap(stable).values()) {
        if (!abortedOffsets.contains(record.offset())) {
          newestByKey.put(record.key(), record);
        }
      }
      checkUncommitted(newestByKey);
      newestByKey.values().removeIf(record -> record.value() == null);
      TreeMap<String, String> wanted = new TreeMap<>();
      newestByKey.forEach((key, record) -> wanted.put(key, record.content()));
      assertThat(committedView(stable)).as("committed view").isEqualTo(wanted);
    }

    private void checkUncommitted(TreeMap<String, Written> newestByKey) {
      TreeMap<Long, Written> left = new TreeMap<>();
      read(
          Isolation.HIGH_WATERMARK,
          0,
          (batch, aborted) -> {
            if (!batch.isControl()) {
              records(batch).forEach(record -> left.put(record.offset(), record));
            }
          });
      left.forEach((offset, record) -> assertThat(record).isEqualTo(written.get(offset)));
      newestByKey.forEach(
          (key, record) -> {
            if (record.value() != null) {
              assertThat(left).as("newest of %s", key).containsKey(record.offset());
            }
          });
      dropped = Math.max(dropped, written.size() - left.size());
    }

    /** As a client reads: what the answers call aborted is passed over. */
    private TreeMap<String, String> committedView(long stable) {
      TreeMap<String, String> view = new TreeMap<>();
      read(
          Isolation.COMMITTED,
          0,
          (batch, aborted) -> {
            boolean isAborted =
                batch.isTransactional()
                    && aborted.stream()
                        .anyMatch(
                            txn ->
                                txn.producerId() == batch.producerId()
                                    && txn.firstOffset() <= batch.baseOffset()
                                    && txn.lastOffset() >= batch.baseOffset());
            if (!batch.isControl() && !isAborted) {
              for (Written record : records(batch)) {
                if (record.offset() < stable) {
                  view.put(record.key(), record.content());
                  if (record.value() == null) {
                    view.remove(record.key());
                  }
                }
              }
            }
          });
      return view;
    }
  }
}
