package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Batch;
import java.util.List;
import java.util.TreeMap;

/**
 * L2: in a partition, the sequences of a (producer id, epoch) follow each other without gap and
 * without repetition, modulo 2^31.
 */
public final class SequenceContinuity implements Check {
  @Override
  public String id() {
    return "L2";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Batch.class);
  }

  @Override
  public String occasions() {
    return "batches after another one of their producer";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, Batch> last = new TreeMap<>();
    long occasions = 0;
    for (Batch batch : history.all(Batch.class)) {
      if (batch.producerId() < 0) {
        continue;
      }
      String producer = batch.partition() + " " + batch.producerId() + " " + batch.producerEpoch();
      Batch before = last.put(producer, batch);
      if (before == null) {
        continue;
      }
      occasions++;
      int expected = (before.baseSequence() + before.recordCount()) & Integer.MAX_VALUE;
      if (batch.baseSequence() != expected) {
        return Verdict.broken("the next sequence was to be %d".formatted(expected), before, batch);
      }
    }
    return Verdict.passed(occasions);
  }
}
