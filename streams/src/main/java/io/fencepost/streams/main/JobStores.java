package io.fencepost.streams.main;

import io.fencepost.streams.RestoreProgress;
import io.fencepost.streams.StoreOwner;
import io.fencepost.streams.StoreSize;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.StoreView;
import io.fencepost.streams.client.GroupView;
import io.fencepost.streams.rocks.SharedTable;
import io.fencepost.streams.rocks.TaskStores;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TableSize;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.task.JobPlan;
import io.fencepost.streams.task.TaskPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/** The stores of a running job for those who read them beside its workers. Thread-safe. */
final class JobStores {
  private final JobPlan plan;
  private final Map<String, Integer> partitions;
  private final TaskStores stores;
  private final GroupView group;
  private final String instance;
  private final Supplier<List<RestoreProgress>> restoring;

  /** One store and the part that it belongs to. */
  record Place(TaskPlan part, int table, String store, int partitions) {
    TaskId task(int partition) {
      return new TaskId(part.name(), partition);
    }
  }

  /**
   * The stores of one instance.
   *
   * @param partitions number of partitions by part of the job
   * @param restoring what this instance's workers restore now
   */
  JobStores(
      JobPlan plan,
      Map<String, Integer> partitions,
      TaskStores stores,
      GroupView group,
      String instance,
      Supplier<List<RestoreProgress>> restoring) {
    this.plan = plan;
    this.partitions = partitions;
    this.stores = stores;
    this.group = group;
    this.instance = instance;
    this.restoring = restoring;
  }

  <K, V> StoreView<K, V> view(String name, Serde<K> keySerde, Serde<V> valueSerde) {
    return new TaskStoreView<>(this, place(name), keySerde, valueSerde, null);
  }

  private Place place(String name) {
    TreeSet<String> known = new TreeSet<>();
    for (TaskPlan part : plan.parts()) {
      for (int table = 0; table < part.tableCount(); table++) {
        StoreSpec<?, ?> spec = part.stores().get(table);
        known.add(spec.name());
        if (spec.name().equals(name)) {
          return new Place(part, table, name, partitions.getOrDefault(part.name(), 1));
        }
      }
    }
    throw new IllegalArgumentException(
        "job " + plan.jobName() + " has no store " + name + "; it has " + known);
  }

  /** The partitions of a store whose tasks run here. */
  SortedSet<Integer> here(Place place) {
    TreeSet<Integer> here = new TreeSet<>();
    for (int partition = 0; partition < place.partitions(); partition++) {
      if (isShown(place.task(partition))) {
        here.add(partition);
      }
    }
    return here;
  }

  private boolean isShown(TaskId task) {
    SharedTable table = stores.opened(task);
    return table != null && table.isShown();
  }

  /** What a reader finds; the second is false if the partition cannot be read here now. */
  record Found<T>(@Nullable T value, boolean isHere) {}

  <T> Found<T> read(Place place, int partition, Function<StoreTable, @Nullable T> reader) {
    SharedTable table = stores.opened(place.task(partition));
    Found<T> found =
        table == null ? null : table.<Found<T>>read(t -> new Found<>(reader.apply(t), true));
    return found == null ? new Found<>(null, false) : found;
  }

  StoreOwner owner(Place place, int partition) {
    if (isShown(place.task(partition))) {
      return new StoreOwner(place.store(), partition, instance, null, true);
    }
    TaskId task = place.task(partition);
    GroupView.Member owner = group.ownerOf(input -> task.equals(plan.maybeTask(input)));
    String found = owner == null ? null : owner.instance();
    return new StoreOwner(
        place.store(),
        partition,
        owner != null && found == null ? "(its client.id does not tell)" : found,
        owner == null ? null : owner.address(),
        instance.equals(found));
  }

  /** Why a partition that the group gave to this instance cannot be read. */
  String notReady(Place place, int partition) {
    for (RestoreProgress progress : restoring.get()) {
      if (progress.store().equals(place.store()) && progress.partition() == partition) {
        return "it is being restored: " + progress;
      }
    }
    return "it is being taken over or given up; ask again soon";
  }

  List<StoreSize> sizes() {
    List<StoreSize> sizes = new ArrayList<>();
    for (TaskPlan part : plan.parts()) {
      for (int i = 0; i < partitions.getOrDefault(part.name(), 0); i++) {
        TaskId task = new TaskId(part.name(), i);
        SharedTable open = stores.opened(task);
        if (open == null) {
          continue;
        }
        List<StoreSpec<?, ?>> specs = stores.specs(task);
        for (int table = 0; table < specs.size(); table++) {
          int number = table;
          TableSize size = open.<TableSize>read(tables -> tables.size(number));
          if (size != null) {
            sizes.add(
                new StoreSize(
                    specs.get(table).name(), task.partition(), size.keys(), size.bytes()));
          }
        }
      }
    }
    return sizes;
  }
}
