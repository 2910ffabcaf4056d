package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Topics on a table. Every change is a new version. */
final class FakeTopics implements TopicsView {
  private final SortedMap<String, Uuid> ids = new TreeMap<>();
  private final SortedMap<Uuid, Integer> partitions = new TreeMap<>();
  private Object version = new Object();
  private long nextId = 1;

  /** Makes the topic, or gives it more partitions. */
  Uuid topic(String name, int partitionCount) {
    Uuid id = ids.computeIfAbsent(name, unused -> new Uuid(0, nextId++));
    partitions.put(id, partitionCount);
    version = new Object();
    return id;
  }

  void delete(String name) {
    Uuid id = ids.remove(name);
    if (id != null) {
      partitions.remove(id);
    }
    version = new Object();
  }

  @Override
  public @Nullable Uuid idOf(String name) {
    return ids.get(name);
  }

  @Override
  public @Nullable String nameOf(Uuid topicId) {
    for (var entry : ids.entrySet()) {
      if (entry.getValue().equals(topicId)) {
        return entry.getKey();
      }
    }
    return null;
  }

  @Override
  public int partitionsOf(Uuid topicId) {
    return partitions.getOrDefault(topicId, 0);
  }

  @Override
  public SortedSet<String> names() {
    return new TreeSet<>(ids.keySet());
  }

  @Override
  public Object version() {
    return version;
  }
}
