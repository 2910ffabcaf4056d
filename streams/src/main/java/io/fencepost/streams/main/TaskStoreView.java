package io.fencepost.streams.main;

import io.fencepost.streams.StoreNotHereException;
import io.fencepost.streams.StoreOwner;
import io.fencepost.streams.StoreView;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.task.DefaultPartitioning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.SortedSet;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/** {@link StoreView} over the tables of the tasks that run here. */
final class TaskStoreView<K, V> implements StoreView<K, V> {
  private static final int PAGE = 1_000;

  private final JobStores stores;
  private final JobStores.Place place;
  private final Serde<K> keySerde;
  private final Serde<V> valueSerde;
  private final @Nullable Integer only;

  private record Entry(byte[] key, byte[] value) {}

  TaskStoreView(
      JobStores stores,
      JobStores.Place place,
      Serde<K> keySerde,
      Serde<V> valueSerde,
      @Nullable Integer only) {
    this.stores = stores;
    this.place = place;
    this.keySerde = keySerde;
    this.valueSerde = valueSerde;
    this.only = only;
  }

  @Override
  public @Nullable V get(K key) {
    byte[] keyBytes = bytes(key);
    int partition = only == null ? partitionOf(key) : only;
    JobStores.Found<byte[]> found =
        stores.read(place, partition, tables -> tables.get(place.table(), keyBytes));
    if (!found.isHere()) {
      throw notHere(partition);
    }
    byte[] value = found.value();
    return value == null ? null : valueSerde.deserializer().deserialize(place.store(), value);
  }

  private byte[] bytes(K key) {
    byte[] bytes = keySerde.serializer().serialize(place.store(), key);
    if (bytes == null) {
      throw new IllegalArgumentException("null key for store " + place.store());
    }
    return bytes;
  }

  private StoreNotHereException notHere(int partition) {
    StoreOwner owner;
    String why;
    try {
      owner = stores.owner(place, partition);
      why = owner + (owner.isHere() ? ", but " + stores.notReady(place, partition) : "");
    } catch (KafkaException e) {
      owner = new StoreOwner(place.store(), partition, null, null, false);
      why =
          "store "
              + place.store()
              + " partition "
              + partition
              + " is not on this instance, and the group cannot be asked: "
              + e;
    }
    return new StoreNotHereException(why, owner);
  }

  @Override
  public Stream<Map.Entry<K, V>> all() {
    return range(null, null);
  }

  @Override
  public Stream<Map.Entry<K, V>> range(@Nullable K from, @Nullable K to) {
    byte[] first = from == null ? null : bytes(from);
    byte[] end = to == null ? null : bytes(to);
    SortedSet<Integer> partitions = only == null ? partitionsHere() : new TreeSet<>(List.of(only));
    return partitions.stream()
        .flatMap(partition -> stream(new Pages(partition, first, end)))
        .filter(entry -> entry.key().length > 0) // the engine's own: the store's event time
        .map(
            entry ->
                Map.entry(
                    keySerde.deserializer().deserialize(place.store(), entry.key()),
                    valueSerde.deserializer().deserialize(place.store(), entry.value())));
  }

  private static Stream<Entry> stream(Iterator<Entry> entries) {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(entries, Spliterator.ORDERED), false);
  }

  /** One partition's entries, a page at a time. */
  private final class Pages implements Iterator<Entry> {
    private final int partition;
    private final byte @Nullable [] end;
    private byte @Nullable [] next;
    private Iterator<Entry> page;
    private boolean isLast;

    Pages(int partition, byte @Nullable [] first, byte @Nullable [] end) {
      this.partition = partition;
      this.next = first;
      this.end = end;
      this.page = read();
    }

    private Iterator<Entry> read() {
      List<Entry> entries = new ArrayList<>();
      JobStores.Found<Boolean> found =
          stores.read(place, partition, tables -> fill(tables, entries));
      if (!found.isHere()) {
        throw notHere(partition);
      }
      isLast = entries.size() < PAGE;
      if (!isLast) {
        byte[] last = entries.get(PAGE - 1).key();
        next = Arrays.copyOf(last, last.length + 1); // the smallest key behind it
      }
      return entries.iterator();
    }

    private boolean fill(StoreTable tables, List<Entry> entries) {
      tables.scan(
          place.table(),
          next,
          end,
          (key, value) -> {
            entries.add(new Entry(key, value));
            return entries.size() < PAGE;
          });
      return true;
    }

    @Override
    public boolean hasNext() {
      while (!page.hasNext() && !isLast) {
        page = read();
      }
      return page.hasNext();
    }

    @Override
    public Entry next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return page.next();
    }
  }

  @Override
  public StoreView<K, V> in(int partition) {
    if (partition < 0 || partition >= place.partitions()) {
      throw new IllegalArgumentException(
          "store "
              + place.store()
              + " has partitions 0 to "
              + (place.partitions() - 1)
              + ", not "
              + partition);
    }
    return new TaskStoreView<>(stores, place, keySerde, valueSerde, partition);
  }

  @Override
  public int partitionOf(K key) {
    return DefaultPartitioning.partition(bytes(key), place.partitions());
  }

  @Override
  public SortedSet<Integer> partitionsHere() {
    return stores.here(place);
  }

  @Override
  public StoreOwner ownerOf(K key) {
    return stores.owner(place, only == null ? partitionOf(key) : only);
  }
}
