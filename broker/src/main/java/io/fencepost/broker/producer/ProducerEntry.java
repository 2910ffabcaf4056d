package io.fencepost.broker.producer;

import java.util.Arrays;

/**
 * One producer in one partition: epoch, the last five batches, the open transaction.
 *
 * <p>The batches all carry {@link #epoch}; a new epoch forgets them. They lie in one array of longs
 * that grows from one batch to five, oldest first, because a partition may know a million
 * producers. Changed by {@link ProducerStates} only, under the lock of the partition.
 */
public final class ProducerEntry {
  /** How many batches back an exact retry is recognised. */
  public static final int WINDOW = 5;

  /** No offset, as an answer. */
  public static final long NO_OFFSET = -1;

  private static final int LONGS_PER_BATCH = 3;
  private static final long[] NO_BATCHES = {};

  private final long producerId;

  /** Base offset, then first sequence and record distance, then the batch's own timestamp. */
  private long[] batches = NO_BATCHES;

  /** {@link #NO_OFFSET} outside of transactions. */
  private long openFirstOffset = NO_OFFSET;

  /** Wall time of the last append or marker: the clock of expiry. */
  private long lastSeenMs;

  /** Of the last marker; -1 before the first. */
  private int coordinatorEpoch = -1;

  private short epoch;

  ProducerEntry(long producerId, short epoch) {
    this.producerId = producerId;
    this.epoch = epoch;
  }

  public long producerId() {
    return producerId;
  }

  public short epoch() {
    return epoch;
  }

  public int coordinatorEpoch() {
    return coordinatorEpoch;
  }

  public long lastSeenMs() {
    return lastSeenMs;
  }

  /** First offset of the open transaction, or {@link #NO_OFFSET}. */
  public long openFirstOffset() {
    return openFirstOffset;
  }

  public boolean hasOpenTransaction() {
    return openFirstOffset != NO_OFFSET;
  }

  public int batchCount() {
    return batches.length / LONGS_PER_BATCH;
  }

  /** Base offset of the remembered batch; 0 is the oldest. */
  public long baseOffset(int index) {
    return batches[index * LONGS_PER_BATCH];
  }

  public long lastOffset(int index) {
    return baseOffset(index) + distance(index);
  }

  public int firstSequence(int index) {
    return (int) (batches[index * LONGS_PER_BATCH + 1] >>> Integer.SIZE);
  }

  public int lastSequence(int index) {
    return Sequences.plus(firstSequence(index), distance(index));
  }

  public long timestamp(int index) {
    return batches[index * LONGS_PER_BATCH + 2];
  }

  /** The last sequence of the current epoch, or {@link Sequences#NONE}. */
  public int lastSequence() {
    int count = batchCount();
    return count == 0 ? Sequences.NONE : lastSequence(count - 1);
  }

  /** Index of the remembered batch with exactly these sequences, or -1. */
  int find(int firstSequence, int lastSequence) {
    for (int i = batchCount() - 1; i >= 0; i--) {
      if (firstSequence(i) == firstSequence && lastSequence(i) == lastSequence) {
        return i;
      }
    }
    return -1;
  }

  /** Room for so many batches of a snapshot, which {@link #set} fills. */
  void reserve(int batchCount) {
    batches = new long[batchCount * LONGS_PER_BATCH];
  }

  void set(int index, long baseOffset, int firstSequence, int distance, long timestamp) {
    int at = index * LONGS_PER_BATCH;
    batches[at] = baseOffset;
    batches[at + 1] = ((long) firstSequence << Integer.SIZE) | distance;
    batches[at + 2] = timestamp;
  }

  void append(long baseOffset, int firstSequence, int distance, long timestamp) {
    int used = batches.length;
    if (used == WINDOW * LONGS_PER_BATCH) {
      System.arraycopy(batches, LONGS_PER_BATCH, batches, 0, used - LONGS_PER_BATCH);
      used -= LONGS_PER_BATCH;
    } else {
      batches = Arrays.copyOf(batches, used + LONGS_PER_BATCH);
    }
    set(used / LONGS_PER_BATCH, baseOffset, firstSequence, distance, timestamp);
  }

  /** A new epoch starts with no batches. */
  void enterEpoch(short newEpoch) {
    if (newEpoch != epoch) {
      epoch = newEpoch;
      batches = NO_BATCHES;
    }
  }

  void open(long firstOffset) {
    openFirstOffset = firstOffset;
  }

  void close() {
    openFirstOffset = NO_OFFSET;
  }

  void seen(long nowMs) {
    lastSeenMs = nowMs;
  }

  void coordinator(int newCoordinatorEpoch) {
    coordinatorEpoch = newCoordinatorEpoch;
  }

  private int distance(int index) {
    return (int) batches[index * LONGS_PER_BATCH + 1];
  }
}
