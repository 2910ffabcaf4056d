package io.fencepost.broker.replica;

import io.fencepost.broker.producer.TxnGuard;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One partition's part of a produce request.
 *
 * @param records the bytes as received; offset, leader epoch and append time are written into them
 * @param acks -1, 0 or 1
 * @param timeoutMs how long acks=all may take
 * @param guard what {@link PartitionGate#guardFor} gave before the coordinator agreed, or null if
 *     it gave none
 */
public record AppendRequest(
    @Nullable ByteBuffer records, short acks, int timeoutMs, @Nullable TxnGuard guard) {
  /** Wait until all in-sync replicas have it. */
  public static final short ACKS_ALL = -1;

  /** A plain append with acks=all. */
  public static AppendRequest of(ByteBuffer records, int timeoutMs) {
    return new AppendRequest(records, ACKS_ALL, timeoutMs, null);
  }
}
