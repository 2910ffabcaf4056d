package io.fencepost.broker.producer;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The guards of one partition, from the question to the coordinator until the transaction is open.
 * One for each epoch of a producer: what a zombie or a liar of another epoch asks for must not take
 * away the guard of the rightful one. Under the partition's lock.
 */
final class TxnGuards {
  private record Key(long producerId, int epoch) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byId = Long.compare(producerId, other.producerId);
      return byId != 0 ? byId : Integer.compare(epoch, other.epoch);
    }
  }

  private final TreeMap<Key, TxnGuard> guards = new TreeMap<>();

  @Nullable TxnGuard find(long producerId, short epoch) {
    return guards.isEmpty() ? null : guards.get(new Key(producerId, epoch));
  }

  void add(TxnGuard guard) {
    guards.put(new Key(guard.producerId(), guard.epoch()), guard);
  }

  /** The transactions of this producer up to the epoch, inclusive, are open or have ended. */
  void drop(long producerId, int lastEpoch) {
    if (!guards.isEmpty()) {
      Key first = new Key(producerId, Short.MIN_VALUE);
      guards.subMap(first, true, new Key(producerId, lastEpoch), true).clear();
    }
  }

  void remove(TxnGuard guard) {
    guards.remove(new Key(guard.producerId(), guard.epoch()), guard);
  }

  /** Forgets those that are as old as this or older. */
  void expire(long createdMs) {
    guards.values().removeIf(guard -> guard.createdMs() <= createdMs);
  }
}
