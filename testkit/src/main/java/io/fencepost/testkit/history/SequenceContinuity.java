package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Batch;
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
        return new Verdict.Fail(
            "after %s the next sequence is %d, but the log holds %s"
                .formatted(before, expected, batch));
      }
    }
    return Verdict.passed(occasions);
  }
}
