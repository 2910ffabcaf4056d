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
    List<ProducerEntry> kept = new ArrayList<>(size);
    forEach(
        entry -> {
          if (!condition.test(entry)) {
            kept.add(entry);
          }
        });
    int removed = size - kept.size();
    if (removed > 0) {
      int capacity = SMALLEST;
      while (kept.size() * 4L > capacity * 3L) {
        capacity *= 2;
      }
      slots = new ProducerEntry[capacity];
      size = 0;
      kept.forEach(this::put);
    }
    return removed;
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
