package io.fencepost.broker.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.sim.SimEntropy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * L2: random batches, retries, gaps, markers, expiry and restarts (with a snapshot at a random
 * earlier point, or with none, or a damaged one), against a model that keeps every batch in a list.
 */
class ProducerStatesAgainstOracleTest {
  private static final int STEPS = 400;
  private static final int IDS = 4;

  /** One thing in the log. */
  private record Entry(ProducedBatch batch, Marker marker, long offset, long nextOffset) {}

  /** Naive on purpose. */
  private static final class Model {
    short epoch = -1;
    final List<Entry> batches = new ArrayList<>();
    long openFirst = -1;

    void apply(ProducedBatch batch, Entry entry) {
      if (batch.epoch() != epoch) {
        batches.clear();
      }
      epoch = batch.epoch();
      batches.add(entry);
      if (batch.isTransactional() && openFirst < 0) {
        openFirst = entry.offset();
      }
    }

    void apply(Marker marker) {
      if (marker.producerEpoch() != epoch) {
        batches.clear();
      }
      epoch = marker.producerEpoch();
      openFirst = -1;
    }

    String verdict(ProducedBatch batch) {
      if (batch.epoch() < epoch) {
        return "Fenced";
      }
      List<Entry> last = batches.subList(Math.max(0, batches.size() - 5), batches.size());
      if (batch.epoch() == epoch) {
        for (Entry old : last) {
          if (old.batch().baseSequence() == batch.baseSequence()
              && old.batch().lastSequence() == batch.lastSequence()) {
            return "Duplicate " + old.offset();
          }
        }
      }
      if (!batch.isTransactional() && openFirst >= 0) {
        return "WrongTransaction";
      }
      if (batch.isTransactional() && openFirst >= 0 && batch.epoch() != epoch) {
        return "WrongTransaction";
      }
      long expected;
      if (epoch < 0) {
        expected = batch.isTransactional() && openFirst < 0 ? 0 : batch.baseSequence();
      } else if (batch.epoch() != epoch || batches.isEmpty()) {
        expected = 0;
      } else {
        expected = (batches.get(batches.size() - 1).batch().lastSequence() + 1L) % (1L << 31);
      }
      return expected == batch.baseSequence() ? "Accept" : "Gap";
    }
  }

  static LongStream seeds() {
    String given = System.getProperty("fencepost.seed", "");
    return given.isEmpty() ? LongStream.range(0, 150) : LongStream.of(Long.decode(given));
  }

  private SimEntropy entropy = new SimEntropy(0);
  private ProducerStates states = new ProducerStates();
  private final Map<Long, Model> models = new TreeMap<>();
  private final List<Entry> log = new ArrayList<>();
  private final Map<String, Integer> seen = new TreeMap<>();
  private byte[] snapshot = {};
  private int snapshotIndex = -1;
  private long nextOffset;

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void verdicts_and_states_are_those_of_the_model(long seed) {
    entropy = new SimEntropy(seed);
    for (int step = 0; step < STEPS; step++) {
      int draw = entropy.nextInt(100);
      if (draw < 80) {
        produce(seed, step);
      } else if (draw < 92) {
        mark();
      } else if (draw < 96) {
        snapshot = SnapshotBytes.write(states, nextOffset);
        snapshotIndex = log.size();
      } else {
        restart();
      }
      assertSame(seed, step);
    }
    assertThat(seen.keySet())
        .as("a run must have seen everything, seed %d", seed)
        .contains("Accept", "Duplicate", "Fenced", "Gap", "WrongTransaction", "restart");
  }

  private void produce(long seed, int step) {
    long id = entropy.nextInt(IDS);
    Model model = models.computeIfAbsent(id, ignored -> new Model());
    ProducedBatch batch = draw(id, model);
    TxnGuard guard = batch.isTransactional() ? states.guardFor(batch, true, 0) : null;
    AppendVerdict verdict = states.check(batch, guard);
    String got = verdict.getClass().getSimpleName();
    seen.merge(got, 1, Integer::sum);
    if (verdict instanceof AppendVerdict.Duplicate duplicate) {
      got += " " + duplicate.baseOffset();
    }
    assertThat(got)
        .as("seed %d step %d: %s after %s", seed, step, batch, log)
        .isEqualTo(model.verdict(batch));
    if (verdict == AppendVerdict.Accept.ACCEPT && !entropy.oneOf(50)) {
      // One in twenty is accepted and then not written, for the disk is full: no trace may stay.
      int count = Sequences.distance(batch.baseSequence(), batch.lastSequence()) + 1;
      Entry entry = new Entry(batch, null, nextOffset, nextOffset + count);
      states.apply(batch, nextOffset, nextOffset, 0);
      model.apply(batch, entry);
      log.add(entry);
      nextOffset += count;
    }
  }

  private ProducedBatch draw(long id, Model model) {
    boolean transactional = model.openFirst >= 0 ? !entropy.oneOf(100) : entropy.oneOf(300);
    int epoch = Math.max(0, model.epoch + (entropy.oneOf(100) ? entropy.nextInt(3) - 1 : 0));
    int size = 1 + entropy.nextInt(4);
    if (!model.batches.isEmpty() && entropy.oneOf(300)) {
      int back = Math.min(model.batches.size(), 1 + entropy.nextInt(7));
      ProducedBatch old = model.batches.get(model.batches.size() - back).batch();
      return new ProducedBatch(
          id, (short) epoch, old.baseSequence(), old.lastSequence(), transactional);
    }
    int first = 0;
    if (!model.batches.isEmpty() && epoch == model.epoch) {
      first = Sequences.next(model.batches.get(model.batches.size() - 1).batch().lastSequence());
    } else if (model.epoch < 0 && !transactional && entropy.oneOf(500)) {
      first = Integer.MAX_VALUE - entropy.nextInt(20);
    }
    if (entropy.oneOf(100)) {
      first = Sequences.plus(first, 1 + entropy.nextInt(3));
    }
    return new ProducedBatch(
        id, (short) epoch, first, Sequences.plus(first, size - 1), transactional);
  }

  private void mark() {
    long id = entropy.nextInt(IDS);
    Model model = models.computeIfAbsent(id, ignored -> new Model());
    int version = 1 + entropy.nextInt(2);
    short epoch = (short) Math.max(0, model.epoch + (version == 2 ? 1 : 0));
    Marker marker = new Marker(id, epoch, entropy.oneOf(500), 1);
    assertThat(states.checkMarker(marker, version)).isEqualTo(AppendVerdict.Accept.ACCEPT);
    CompletedTxn completed = states.applyMarker(marker, version, nextOffset, 0);
    assertThat(completed == null ? -1 : completed.firstOffset()).isEqualTo(model.openFirst);
    model.apply(marker);
    log.add(new Entry(null, marker, nextOffset, nextOffset + 1));
    nextOffset++;
  }

  private void restart() {
    seen.merge("restart", 1, Integer::sum);
    int from = 0;
    states = new ProducerStates();
    if (snapshotIndex >= 0 && !entropy.oneOf(300)) {
      long offset = snapshotIndex == 0 ? 0 : log.get(snapshotIndex - 1).nextOffset();
      byte[] bytes = snapshot.clone();
      boolean damaged = entropy.oneOf(300);
      if (damaged) {
        bytes[entropy.nextInt(bytes.length)] ^= (byte) (1 << entropy.nextInt(8));
      }
      ProducerStates read = SnapshotBytes.read(bytes, offset);
      assertThat(read == null).isEqualTo(damaged);
      if (read != null) {
        states = read;
        from = snapshotIndex;
      }
    }
    for (Entry entry : log.subList(from, log.size())) {
      if (entry.marker() != null) {
        states.applyMarker(entry.marker(), entry.offset(), 0);
      } else {
        states.apply(entry.batch(), entry.offset(), entry.offset(), 0);
      }
    }
  }

  private void assertSame(long seed, int step) {
    long oldestOpen = Long.MAX_VALUE;
    for (Map.Entry<Long, Model> each : models.entrySet()) {
      Model model = each.getValue();
      ProducerEntry entry = states.find(each.getKey());
      if (model.epoch < 0) {
        assertThat(entry).isNull();
        continue;
      }
      assertThat(entry).as("seed %d step %d id %d", seed, step, each.getKey()).isNotNull();
      assertThat(entry.epoch()).isEqualTo(model.epoch);
      assertThat(entry.openFirstOffset()).isEqualTo(model.openFirst);
      assertThat(entry.batchCount()).isEqualTo(Math.min(5, model.batches.size()));
      if (model.openFirst >= 0) {
        oldestOpen = Math.min(oldestOpen, model.openFirst);
      }
    }
    states.onHighWatermark(nextOffset);
    assertThat(states.lastStableOffset(nextOffset))
        .as("L3, seed %d step %d", seed, step)
        .isEqualTo(Math.min(oldestOpen, nextOffset));
  }
}
