package io.fencepost.streams.test;

import io.fencepost.streams.store.StoreTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/** What a store of a {@link JobTest} holds: what was committed, of all partitions. */
public final class TestStore<K, V> {
  private final String name;
  private final Serde<K> keySerde;
  private final Serde<V> valueSerde;
  private final Place place;

  /**
   * Where its entries are.
   *
   * @param hasTime whether the empty key is the engine's own
   */
  record Place(SortedMap<Integer, StoreTable> partitions, int table, boolean hasTime) {}

  TestStore(String name, Serde<K> keySerde, Serde<V> valueSerde, Place place) {
    this.name = name;
    this.keySerde = keySerde;
    this.valueSerde = valueSerde;
    this.place = place;
  }

  /** One entry, and the partition whose state it is. */
  public record Entry<K, V>(int partition, K key, V value) {}

  /**
   * The value of a key; null if there is none.
   *
   * @throws IllegalStateException if several partitions have that key
   */
  public @Nullable V get(K key) {
    byte[] keyBytes = keySerde.serializer().serialize(name, key);
    V found = null;
    for (StoreTable tables : place.partitions().values()) {
      byte[] value = tables.get(place.table(), keyBytes);
      if (value != null) {
        refuseSecond(found, key);
        found = valueSerde.deserializer().deserialize(name, value);
      }
    }
    return found;
  }

  /**
   * All entries in the order of partitions, then of key bytes.
   *
   * @throws IllegalStateException if several partitions have the same key
   */
  public Map<K, V> all() {
    Map<K, V> all = new LinkedHashMap<>();
    entries().forEach(entry -> refuseSecond(all.put(entry.key(), entry.value()), entry.key()));
    return all;
  }

  private void refuseSecond(@Nullable V before, K key) {
    if (before != null) {
      throw new IllegalStateException(
          "store " + name + " has key " + key + " in several partitions; ask entries()");
    }
  }

  /** All entries with their partitions, in the order of partitions, then of key bytes. */
  public List<Entry<K, V>> entries() {
    List<Entry<K, V>> entries = new ArrayList<>();
    byte[] from = place.hasTime() ? new byte[1] : null;
    place
        .partitions()
        .forEach(
            (partition, tables) ->
                tables.scan(
                    place.table(),
                    from,
                    null,
                    (key, value) -> entries.add(entry(partition, key, value))));
    return entries;
  }

  private Entry<K, V> entry(int partition, byte[] key, byte[] value) {
    return new Entry<>(
        partition,
        keySerde.deserializer().deserialize(name, key),
        valueSerde.deserializer().deserialize(name, value));
  }
}
