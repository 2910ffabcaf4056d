package io.fencepost.broker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The log against a list of batches, through random operations, stops and power failures. */
class PartitionLogAgainstOracleTest {
  private static final int STEPS = 400;

  static List<Long> seeds() {
    String given = System.getProperty("fencepost.seed", "");
    if (!given.isEmpty()) {
      return List.of(Long.decode(given));
    }
    List<Long> seeds = new ArrayList<>();
    for (long seed = 1; seed <= Long.getLong("fencepost.seeds", 150); seed++) {
      seeds.add(seed);
    }
    return seeds;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void l1_l6_the_log_says_what_a_list_of_batches_says(long seed) {
    Run run = new Run(seed);
    try {
      for (int step = 0; step < STEPS; step++) {
        run.step();
      }
    } catch (AssertionError | RuntimeException e) {
      fail(
          "seed "
              + seed
              + " after "
              + run.trace.subList(Math.max(0, run.trace.size() - 30), run.trace.size()),
          e);
    }
  }

  @Test
  void every_operation_succeeds_in_some_run() {
    Map<Op, Integer> done = new EnumMap<>(Op.class);
    for (long seed = 1000; seed < 1010; seed++) {
      Run run = new Run(seed);
      for (int step = 0; step < STEPS; step++) {
        done.merge(run.step(), 1, Integer::sum);
      }
    }
    assertThat(done).containsOnlyKeys(Op.values());
  }

  private enum Op {
    APPEND,
    APPEND_REFUSED,
    READ,
    ABORTED,
    TIME,
    EPOCHS,
    FORCE,
    FORCE_OVERLAPPED,
    TRUNCATE,
    ADVANCE,
    RETAIN,
    STOP,
    KILL,
    CRASH
  }

  /** Batches below the durable end must be there after a crash; those above may be a prefix. */
  private static final class Run {
    final SimEntropy entropy;
    final SimDisk disk;
    final SimClock clock = new SimClock();
    final LogConfig config;
    final List<String> trace = new ArrayList<>();
    final List<byte[]> batches = new ArrayList<>();
    final List<AbortedTxn> aborted = new ArrayList<>();
    final TreeMap<Long, Long> open = new TreeMap<>();
    PartitionLog log;
    long start;
    long end;
    long time = 1000;
    int epoch;

    Run(long seed) {
      entropy = new SimEntropy(seed);
      disk = new SimDisk(entropy.named("disk"));
      config =
          LogConfig.defaults()
              .withSegmentBytes(300 + entropy.nextInt(2000))
              .withIndex(entropy.nextInt(400), entropy.nextInt(2) == 0 ? 40 : 1024)
              .withSegmentMs(entropy.nextInt(2) == 0 ? 200 : 1_000_000)
              .withRetention(
                  entropy.nextInt(2) == 0 ? 500 : -1, entropy.nextInt(2) == 0 ? 3000 : -1);
      log = PartitionLog.open(disk, "t-0", config, clock);
      log.onSnapshot(sink -> sink.accept(snapshot(end)));
    }

    /** The open transactions as of the end: what the partition's owner would keep. */
    ByteBuffer snapshot(long at) {
      ByteBuffer out = ByteBuffer.allocate(12 + 16 * open.size());
      out.putLong(at).putInt(open.size());
      open.forEach((producer, first) -> out.putLong(producer).putLong(first));
      return out.flip();
    }

    Op step() {
      Op op = Op.values()[weighted()];
      trace.add(op + "@" + start + ".." + end);
      switch (op) {
        case APPEND -> append();
        case APPEND_REFUSED -> appendRefused();
        case READ -> read();
        case ABORTED -> checkAborted();
        case TIME -> checkTime();
        case EPOCHS -> checkEpochs();
        case FORCE -> assertThat(log.force()).isEqualTo(end);
        case FORCE_OVERLAPPED -> overlapped();
        case TRUNCATE -> truncate();
        case ADVANCE -> advance();
        case RETAIN -> retain();
        case STOP -> stop();
        case KILL -> kill();
        case CRASH -> crash();
      }
      assertThat(log.startOffset()).isEqualTo(start);
      assertThat(log.endOffset()).isEqualTo(end);
      if (op == Op.CRASH || op == Op.KILL || op == Op.STOP || op == Op.TRUNCATE) {
        read();
      }
      return op;
    }

    private int weighted() {
      int draw = entropy.nextInt(100);
      if (draw < 60) {
        return Op.APPEND.ordinal();
      }
      return entropy.nextInt(Op.values().length);
    }

    void append() {
      int n = 1 + entropy.nextInt(2);
      List<byte[]> made = new ArrayList<>();
      long at = end;
      TreeMap<Long, Long> opened = new TreeMap<>(open);
      List<AbortedTxn> ended = new ArrayList<>();
      for (int i = 0; i < n; i++) {
        byte[] batch = make(at, opened, ended);
        made.add(batch);
        at = LogFixture.lastOffset(batch) + 1;
      }
      int bytes = made.stream().mapToInt(b -> b.length).sum();
      ByteBuffer all = ByteBuffer.allocate(bytes);
      made.forEach(all::put);
      all.flip();
      log.append(all);
      assertThat(all.remaining()).isEqualTo(bytes);
      batches.addAll(made);
      end = at;
      open.clear();
      open.putAll(opened);
      ended.forEach(log::addAborted);
      aborted.addAll(ended);
    }

    private byte[] make(long at, TreeMap<Long, Long> opened, List<AbortedTxn> ended) {
      time += entropy.nextInt(20) - 5;
      if (entropy.nextInt(10) == 0) {
        epoch++;
      }
      ByteBuffer batch;
      if (!opened.isEmpty() && entropy.nextInt(3) == 0) {
        long producer = opened.firstKey();
        boolean commit = entropy.nextInt(3) == 0;
        batch = new ControlMarker(commit, 0).toBatch(producer, (short) 0, time);
        new BatchView().wrap(batch, 0).assign(at, epoch);
        long first = opened.remove(producer);
        if (!commit) {
          long stable = opened.values().stream().mapToLong(x -> x).min().orElse(at + 1);
          ended.add(new AbortedTxn(producer, first, at, Math.min(stable, at + 1)));
        }
      } else {
        BatchWriter writer = BatchWriter.at(at).leaderEpoch(epoch);
        if (entropy.nextInt(3) == 0) {
          long producer = entropy.nextInt(4);
          writer.producer(producer, (short) 0, 0).transactional();
          opened.putIfAbsent(producer, at);
        }
        int count = 1 + entropy.nextInt(3);
        for (int i = 0; i < count; i++) {
          writer.add(time + entropy.nextInt(3), null, new byte[entropy.nextInt(60)]);
        }
        batch = writer.build();
      }
      byte[] bytes = new byte[batch.remaining()];
      batch.get(bytes);
      return bytes;
    }

    void appendRefused() {
      if (entropy.nextInt(2) == 0) {
        disk.fill(entropy.nextInt(80));
      } else {
        disk.failNextAppend();
      }
      TreeMap<Long, Long> opened = new TreeMap<>(open);
      List<AbortedTxn> ended = new ArrayList<>();
      byte[] batch = make(end, opened, ended);
      try {
        log.append(ByteBuffer.wrap(batch));
        batches.add(batch);
        end = LogFixture.lastOffset(batch) + 1;
        open.clear();
        open.putAll(opened);
        ended.forEach(log::addAborted);
        aborted.addAll(ended);
      } catch (DiskException refused) {
        assertThat(log.endOffset()).isEqualTo(end);
      }
      disk.free();
      assertThat(log.failure()).isNull();
    }

    void read() {
      if (start == end) {
        return;
      }
      long from = start + entropy.nextInt((int) (end - start));
      long to = from + entropy.nextInt((int) (end - from) + 1);
      int maxBytes = entropy.nextInt(1500);
      boolean atLeastOne = entropy.nextInt(2) == 0;
      ReadResult result = log.read(from, maxBytes, atLeastOne, to);
      List<byte[]> got = new ArrayList<>();
      LogFixture.split(result.bytes(), got);
      List<byte[]> expected = new ArrayList<>();
      for (byte[] batch : batches) {
        if (LogFixture.lastOffset(batch) >= from && LogFixture.lastOffset(batch) < to) {
          expected.add(batch);
        }
      }
      assertThat(got.size()).isLessThanOrEqualTo(expected.size());
      for (int i = 0; i < got.size(); i++) {
        assertThat(got.get(i)).isEqualTo(expected.get(i));
      }
      int size = got.stream().mapToInt(b -> b.length).sum();
      if (got.size() > 1 || !atLeastOne) {
        assertThat(size).isLessThanOrEqualTo(maxBytes);
      }
      if (!expected.isEmpty() && (atLeastOne || expected.get(0).length <= maxBytes)) {
        assertThat(got).isNotEmpty();
        assertThat(result.firstOffset()).isEqualTo(LogFixture.baseOffset(expected.get(0)));
        assertThat(result.nextOffset())
            .isEqualTo(LogFixture.lastOffset(got.get(got.size() - 1)) + 1);
      }
      List<byte[]> all = LogFixture.readAll(log, from, 1 + entropy.nextInt(1000));
      List<byte[]> wanted = batches.stream().filter(b -> LogFixture.lastOffset(b) >= from).toList();
      assertThat(all).hasSameSizeAs(wanted);
      for (int i = 0; i < all.size(); i++) {
        assertThat(all.get(i)).isEqualTo(wanted.get(i));
      }
    }

    void checkAborted() {
      if (start == end) {
        return;
      }
      long from = start + entropy.nextInt((int) (end - start));
      long to = from + 1 + entropy.nextInt((int) (end - from));
      List<AbortedTxn> expected =
          aborted.stream().filter(t -> t.lastOffset() >= from && t.firstOffset() < to).toList();
      assertThat(log.aborted(from, to).stream().map(AbortedTxn::lastOffset).toList())
          .isEqualTo(expected.stream().map(AbortedTxn::lastOffset).toList());
    }

    void checkTime() {
      long wanted = time - entropy.nextInt(200);
      TimestampOffset expected = null;
      TimestampOffset greatest = null;
      for (byte[] bytes : batches) {
        BatchView view = new BatchView().wrap(ByteBuffer.wrap(bytes), 0);
        var records = io.fencepost.broker.batch.RecordIterator.of(view);
        while (records.next()) {
          long offset = records.record().offset();
          long timestamp = records.record().timestamp();
          if (offset >= start) {
            TimestampOffset here = new TimestampOffset(timestamp, offset, view.leaderEpoch());
            if (expected == null && timestamp >= wanted) {
              expected = here;
            }
            if (greatest == null || timestamp > greatest.timestamp()) {
              greatest = here;
            }
          }
        }
      }
      assertThat(log.offsetForTimestamp(wanted)).isEqualTo(expected);
      assertThat(log.maxTimestamp()).isEqualTo(greatest);
    }

    void checkEpochs() {
      for (byte[] bytes : batches) {
        BatchView view = new BatchView().wrap(ByteBuffer.wrap(bytes), 0);
        if (view.lastOffset() >= start) {
          assertThat(log.leaderEpochs().epochAt(Math.max(start, view.baseOffset())))
              .isEqualTo(view.leaderEpoch());
        }
      }
    }

    void overlapped() {
      ForceTicket ticket = log.beginForce();
      long atTicket = end;
      int before = entropy.nextInt(3);
      for (int i = 0; i < before; i++) {
        append();
      }
      ticket.run();
      append();
      long durable = log.completeForce(ticket);
      assertThat(durable).isGreaterThanOrEqualTo(atTicket).isLessThanOrEqualTo(end);
    }

    void truncate() {
      if (start == end) {
        return;
      }
      long to = end - entropy.nextInt((int) Math.min(end - start, 12) + 1);
      log.truncateTo(to);
      forgetFrom(to);
    }

    private void forgetFrom(long to) {
      while (!batches.isEmpty() && LogFixture.lastOffset(batches.get(batches.size() - 1)) >= to) {
        batches.remove(batches.size() - 1);
      }
      end = log.endOffset();
      assertThat(end).isLessThanOrEqualTo(Math.max(to, start));
      if (!batches.isEmpty() && end > start) {
        assertThat(end).isEqualTo(LogFixture.lastOffset(batches.get(batches.size() - 1)) + 1);
      }
      if (start > end) {
        start = end;
      }
      aborted.removeIf(t -> t.lastOffset() >= end);
      rebuildOpen();
    }

    private void rebuildOpen() {
      open.clear();
      for (byte[] bytes : batches) {
        BatchView view = new BatchView().wrap(ByteBuffer.wrap(bytes), 0);
        if (view.isControl()) {
          open.remove(view.producerId());
        } else if (view.isTransactional()) {
          open.putIfAbsent(view.producerId(), view.baseOffset());
        }
      }
    }

    void advance() {
      long to = start + entropy.nextInt((int) Math.min(end - start, 10) + 1);
      assertThat(log.advanceStart(to)).isEqualTo(to > start);
      start = Math.max(start, to);
    }

    void retain() {
      long now = time + 300;
      int removed = log.applyRetention(now, end - entropy.nextInt((int) (end - start) + 1));
      assertThat(log.startOffset()).isGreaterThanOrEqualTo(start);
      if (removed == 0) {
        assertThat(log.startOffset()).isEqualTo(start);
      }
      start = log.startOffset();
    }

    void stop() {
      log.close(true);
      long forces = disk.forceCount();
      reopen();
      assertThat(disk.forceCount()).as("a clean start writes nothing").isEqualTo(forces);
      if (end > 0) {
        assertThat(log.newestSnapshot()).isNotNull();
        assertThat(log.newestSnapshot().offset()).isEqualTo(end);
      }
    }

    void kill() {
      disk.kill();
      reopen();
    }

    void crash() {
      long durable = log.durableEndOffset();
      disk.crash();
      log = PartitionLog.open(disk, "t-0", config, clock);
      assertThat(log.endOffset()).isGreaterThanOrEqualTo(durable).isLessThanOrEqualTo(end);
      if (log.endOffset() < end) {
        // Whole batches are lost from the end, as if cut.
        forgetFrom(log.endOffset());
      }
      replayAndCheck();
    }

    void reopen() {
      log = PartitionLog.open(disk, "t-0", config, clock);
      replayAndCheck();
    }

    private void replayAndCheck() {
      log.onSnapshot(sink -> sink.accept(snapshot(end)));
      Snapshot snapshot = log.newestSnapshot();
      long from = log.startOffset();
      TreeMap<Long, Long> replayed = new TreeMap<>();
      if (snapshot != null) {
        ByteBuffer in = ByteBuffer.wrap(LogFixture.content(snapshot));
        assertThat(in.getLong()).isEqualTo(snapshot.offset()).isLessThanOrEqualTo(log.endOffset());
        int count = in.getInt();
        for (int i = 0; i < count; i++) {
          replayed.put(in.getLong(), in.getLong());
        }
        from = Math.max(from, snapshot.offset());
      }
      List<byte[]> seen = new ArrayList<>();
      log.replay(
          from,
          view -> {
            byte[] bytes = new byte[view.sizeBytes()];
            view.buffer()
                .duplicate()
                .limit(view.position() + bytes.length)
                .position(view.position())
                .get(bytes);
            seen.add(bytes);
            if (view.isControl()) {
              Long first = replayed.remove(view.producerId());
              ControlMarker marker = ControlMarker.of(view);
              if (!marker.commit() && first != null) {
                long stable =
                    replayed.values().stream()
                        .mapToLong(x -> x)
                        .min()
                        .orElse(view.lastOffset() + 1);
                log.addAborted(new AbortedTxn(view.producerId(), first, view.lastOffset(), stable));
              }
            } else if (view.isTransactional()) {
              replayed.putIfAbsent(view.producerId(), view.baseOffset());
            }
          });
      long fromOffset = from;
      List<byte[]> wanted =
          batches.stream().filter(b -> LogFixture.lastOffset(b) >= fromOffset).toList();
      assertThat(seen).hasSameSizeAs(wanted);
      for (int i = 0; i < seen.size(); i++) {
        assertThat(Arrays.equals(seen.get(i), wanted.get(i))).isTrue();
      }
    }
  }
}
