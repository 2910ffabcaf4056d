package io.fencepost.streams.task;

import io.fencepost.streams.Store;
import io.fencepost.streams.StoreSpec;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/** The user's view of a table through the state buffer. */
final class BufferedStore implements Store<Object, Object> {
  private static final int FIRST_PAGE = 1;
  private static final int LARGEST_PAGE = 256;

  private final TaskContext context;
  private final int table;
  private final String name;
  private final Serde<Object> keySerde;
  private final Serde<Object> valueSerde;

  @SuppressWarnings("unchecked") // Flow checked the types of store and stage
  BufferedStore(TaskContext context, int table, StoreSpec<?, ?> spec) {
    this.context = context;
    this.table = table;
    this.name = spec.name();
    this.keySerde = (Serde<Object>) spec.keySerde();
    this.valueSerde = (Serde<Object>) spec.valueSerde();
  }

  @Override
  public @Nullable Object get(Object key) {
    byte[] value = context.state().get(table, keyBytes(key));
    return value == null ? null : valueSerde.deserializer().deserialize(name, value);
  }

  @Override
  public void put(Object key, Object value) {
    byte[] bytes = valueSerde.serializer().serialize(name, value);
    if (bytes == null) {
      throw new IllegalArgumentException("null value for store " + name + "; use delete");
    }
    byte[] keyBytes = keyBytes(key);
    context.refuseIfTooLarge(context.plan().changelogTopic(table), RecordSize.of(keyBytes, bytes));
    context.state().put(table, keyBytes, bytes);
  }

  @Override
  public void delete(Object key) {
    context.state().put(table, keyBytes(key), null);
  }

  @Override
  public void forEach(
      @Nullable Object from, @Nullable Object to, BiPredicate<Object, Object> visitor) {
    byte[] next = from == null ? null : keyBytes(from);
    byte[] end = to == null ? null : keyBytes(to);
    // A visitor that wants the first entry alone should not pay for a page.
    int limit = FIRST_PAGE;
    while (true) {
      List<StateBuffer.Entry> page = context.state().scan(table, next, end, limit);
      for (StateBuffer.Entry entry : page) {
        Object key = keySerde.deserializer().deserialize(name, entry.key());
        Object value = valueSerde.deserializer().deserialize(name, entry.value());
        if (!visitor.test(key, value)) {
          return;
        }
      }
      if (page.size() < limit) {
        return;
      }
      byte[] last = page.get(limit - 1).key();
      next = Arrays.copyOf(last, last.length + 1);
      limit = Math.min(LARGEST_PAGE, 16 * limit);
    }
  }

  private byte[] keyBytes(@Nullable Object key) {
    byte[] bytes = key == null ? null : keySerde.serializer().serialize(name, key);
    if (bytes == null) {
      throw new IllegalArgumentException("null key for store " + name);
    }
    return bytes;
  }
}
