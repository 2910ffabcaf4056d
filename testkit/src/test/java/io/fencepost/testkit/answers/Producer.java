package io.fencepost.testkit.answers;

import io.fencepost.broker.batch.BatchWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Who a producer says it is; no transactional id for a plain idempotent one. */
record Producer(@Nullable String transactionalId, long id, int epoch) {
  /** Neither idempotent nor transactional. */
  static final Producer NOBODY = new Producer(null, -1, -1);

  Producer inEpoch(int other) {
    return new Producer(transactionalId, id, other);
  }

  Producer withId(long other) {
    return new Producer(transactionalId, other, epoch);
  }

  /** A batch of this many records from that sequence on. */
  ByteBuffer batch(int sequence, int records) {
    BatchWriter batch = BatchWriter.at(0).producer(id, (short) epoch, sequence);
    if (transactionalId != null) {
      batch.transactional();
    }
    return fill(batch, records);
  }

  static ByteBuffer fill(BatchWriter batch, int records) {
    for (int i = 0; i < records; i++) {
      batch.add(System.currentTimeMillis(), bytes("key-" + i), bytes("value-" + i));
    }
    return batch.build();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
