package io.fencepost.broker.producer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Producer id to entry: open addressing over one array of references, because the id is in the
 * entry already. Between 3/8 and 3/4 full, so it costs at most 11 bytes an id beside the entry.
 */
final class ProducerTable {
  private static final int SMALLEST = 8;

  private @Nullable ProducerEntry[] slots = new ProducerEntry[SMALLEST];
  private int size;

  /** Makes room for so many, so that they come in without being moved. */
  void reserve(int count) {
    int capacity = capacityFor(Math.max(count, size));
    if (capacity > slots.length) {
      resize(capacity);
    }
  }

  int size() {
    return size;
  }

  @Nullable ProducerEntry get(long producerId) {
    return slots[slotOf(producerId)];
  }

  void put(ProducerEntry entry) {
    if ((size + 1) * 4L > slots.length * 3L) {
      resize(slots.length * 2);
    }
    int slot = slotOf(entry.producerId());
    if (slots[slot] == null) {
      size++;
    }
    slots[slot] = entry;
  }

  /** Drops all entries that match; returns how many. */
  int removeIf(Predicate<ProducerEntry> condition) {
    if (!anyMatch(condition)) {
      return 0;
    }
    List<ProducerEntry> kept = new ArrayList<>();
    forEach(
        entry -> {
          if (!condition.test(entry)) {
            kept.add(entry);
          }
        });
    int removed = size - kept.size();
    slots = new ProducerEntry[capacityFor(kept.size())];
    size = 0;
    kept.forEach(this::put);
    return removed;
  }

  private boolean anyMatch(Predicate<ProducerEntry> condition) {
    for (ProducerEntry entry : slots) {
      if (entry != null && condition.test(entry)) {
        return true;
      }
    }
    return false;
  }

  /** In no useful order. */
  void forEach(Consumer<ProducerEntry> action) {
    for (ProducerEntry entry : slots) {
      if (entry != null) {
        action.accept(entry);
      }
    }
  }

  List<ProducerEntry> sorted() {
    List<ProducerEntry> entries = new ArrayList<>(size);
    forEach(entries::add);
    entries.sort(Comparator.comparingLong(ProducerEntry::producerId));
    return entries;
  }

  /** The slot that holds this id, or the free one where it belongs. */
  private int slotOf(long producerId) {
    int mask = slots.length - 1;
    int slot = (int) ((producerId * 0x9E3779B97F4A7C15L) >>> 33) & mask;
    for (ProducerEntry entry = slots[slot];
        entry != null && entry.producerId() != producerId;
        entry = slots[slot]) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private static int capacityFor(int count) {
    int capacity = SMALLEST;
    while (count * 4L > capacity * 3L) {
      capacity *= 2;
    }
    return capacity;
  }

  private void resize(int capacity) {
    @Nullable ProducerEntry[] old = slots;
    slots = new ProducerEntry[capacity];
    for (ProducerEntry entry : old) {
      if (entry != null) {
        slots[slotOf(entry.producerId())] = entry;
      }
    }
  }
}
