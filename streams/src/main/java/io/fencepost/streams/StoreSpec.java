package io.fencepost.streams;

import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;

/**
 * A store's name, types and kind. The name is chosen by the user and names the changelog topic
 * ({@code application.id-NAME-changelog}): renaming a store means a new, empty one.
 */
public final class StoreSpec<K, V> implements ProcessorPart {
  /** What the engine must know of the entries. */
  public enum Kind {
    /** The user's own keys and values. */
    PLAIN,
    /** Each value is the time of the key's first sight. */
    FIRST_SIGHTS,
    /** The empty key holds the highest event time seen; all others belong to the operator. */
    TIMED
  }

  private final String name;
  private final Serde<K> keySerde;
  private final Serde<V> valueSerde;
  private final boolean persistent;
  private final Kind kind;
  private final String layout;
  private final @Nullable Duration retention;

  private StoreSpec(
      String name,
      Serde<K> keySerde,
      Serde<V> valueSerde,
      boolean persistent,
      Kind kind,
      String layout,
      @Nullable Duration retention) {
    this.name = Names.checked("store", name);
    this.keySerde = keySerde;
    this.valueSerde = valueSerde;
    this.persistent = persistent;
    this.kind = kind;
    this.layout = layout;
    this.retention = retention;
  }

  /** A persistent store (RocksDB). */
  public static <K, V> StoreSpec<K, V> keyed(String name, Serde<K> keySerde, Serde<V> valueSerde) {
    return new StoreSpec<>(name, keySerde, valueSerde, true, Kind.PLAIN, "keys", null);
  }

  /**
   * The state of an operator of this library: bytes in an order that the operator knows, and the
   * highest event time that it has seen.
   *
   * @param layout as {@link #layout}
   */
  public static StoreSpec<byte[], byte[]> timed(String name, String layout) {
    Serde<byte[]> bytes = Serdes.ByteArray();
    return new StoreSpec<>(name, bytes, bytes, true, Kind.TIMED, layout, null);
  }

  /** Messages that wait for those of the other side of a join. */
  static StoreSpec<byte[], byte[]> joined(String name) {
    Serde<byte[]> bytes = Serdes.ByteArray();
    return new StoreSpec<>(name, bytes, bytes, true, Kind.PLAIN, "join", null);
  }

  /** Key bytes and the time of their first sight, forgotten after the retention. */
  static StoreSpec<byte[], Long> firstSights(String name, Duration retention) {
    return new StoreSpec<>(
        name,
        Serdes.ByteArray(),
        Serdes.Long(),
        true,
        Kind.FIRST_SIGHTS,
        "first sights",
        retention);
  }

  /** The same store in memory: restored from the whole changelog at every start. */
  public StoreSpec<K, V> inMemory() {
    return new StoreSpec<>(name, keySerde, valueSerde, false, kind, layout, retention);
  }

  public String name() {
    return name;
  }

  public Serde<K> keySerde() {
    return keySerde;
  }

  public Serde<V> valueSerde() {
    return valueSerde;
  }

  public boolean isPersistent() {
    return persistent;
  }

  public Kind kind() {
    return kind;
  }

  /** What its entries are made of, in a word: state of another layout cannot be read. */
  public String layout() {
    return layout;
  }

  /** How long an entry matters, in event time; null for ever. */
  public @Nullable Duration retention() {
    return retention;
  }

  /** The topic that holds every committed change of this store. */
  public String changelogTopic(String applicationId) {
    return applicationId + "-" + name + "-changelog";
  }
}
