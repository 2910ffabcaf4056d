package io.fencepost.streams.test;

import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.store.MixedTable;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TableSize;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.task.JobPlan;
import io.fencepost.streams.task.TaskPlan;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The state directory of one machine: tables outlive processes, but for those of stores that are
 * {@link StoreSpec#inMemory}.
 */
final class MemoryDisk implements StoreOpener {
  private final Interference interference;
  private final TreeMap<TaskId, MemoryTable> disks = new TreeMap<>();
  private final TreeMap<TaskId, StoreTable> tables = new TreeMap<>();
  private final TreeSet<TaskId> locked = new TreeSet<>();
  private @Nullable JobPlan plan;

  MemoryDisk(Interference interference) {
    this.interference = interference;
  }

  /** A process starts; the one before it holds nothing any more. */
  void attach(JobPlan newPlan) {
    plan = newPlan;
    locked.clear();
  }

  void lose() {
    disks.clear();
    tables.clear();
  }

  /** The tables of a task as they are stored now; null before it was first opened. */
  @Nullable StoreTable stored(TaskId task) {
    return tables.get(task);
  }

  @Override
  public @Nullable StoreTable open(TaskId task) {
    if (!locked.add(task)) {
      return null;
    }
    List<Boolean> persistent =
        part(task).stores().stream().<Boolean>map(StoreSpec::isPersistent).toList();
    int inMemory = Collections.frequency(persistent, false);
    MemoryTable disk =
        disks.computeIfAbsent(task, unused -> new MemoryTable(persistent.size() - inMemory));
    StoreTable all = new MixedTable(disk, new MemoryTable(inMemory), persistent);
    tables.put(task, all);
    return new Opened(task, all);
  }

  private TaskPlan part(TaskId task) {
    JobPlan attached = plan;
    if (attached != null) {
      for (TaskPlan part : attached.parts()) {
        if (part.name().equals(task.part())) {
          return part;
        }
      }
    }
    throw new IllegalStateException("task " + task + " belongs to no part of the job");
  }

  private final class Opened implements StoreTable {
    private final TaskId task;
    private final StoreTable table;

    Opened(TaskId task, StoreTable table) {
      this.task = task;
      this.table = table;
    }

    @Override
    public byte @Nullable [] get(int number, byte[] key) {
      return table.get(number, key);
    }

    @Override
    public List<byte @Nullable []> getAll(int number, List<byte[]> keys) {
      return table.getAll(number, keys);
    }

    @Override
    public void apply(ChangeBatch batch) {
      interference.before(Interference.Call.APPLY);
      table.apply(batch);
      interference.after(Interference.Call.APPLY);
    }

    @Override
    public RestorePoint restorePoint(int number) {
      return table.restorePoint(number);
    }

    @Override
    public void scan(
        int number, byte @Nullable [] from, byte @Nullable [] to, EntryVisitor visitor) {
      table.scan(number, from, to, visitor);
    }

    @Override
    public void clear(int number, String why) {
      throw new IllegalStateException("a store of task " + task + " would be wiped: " + why);
    }

    @Override
    public TableSize size(int number) {
      return table.size(number);
    }

    @Override
    public void close() {
      locked.remove(task);
    }
  }
}
