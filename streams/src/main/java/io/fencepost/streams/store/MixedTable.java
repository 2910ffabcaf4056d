package io.fencepost.streams.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a task that keeps some of them on disk and some in memory, under one numbering. A
 * crash loses the ones in memory with their positions, so each is still what its position says.
 */
public final class MixedTable implements StoreTable {
  private final StoreTable disk;
  private final StoreTable memory;
  private final boolean[] isOnDisk;
  private final int[] numbers;

  /**
   * Both hold their tables in the order of the whole.
   *
   * @param persistent per table, whether it is one of {@code disk}
   */
  public MixedTable(StoreTable disk, StoreTable memory, List<Boolean> persistent) {
    this.disk = disk;
    this.memory = memory;
    this.isOnDisk = new boolean[persistent.size()];
    this.numbers = new int[persistent.size()];
    int diskCount = 0;
    int memoryCount = 0;
    for (int table = 0; table < numbers.length; table++) {
      isOnDisk[table] = persistent.get(table);
      numbers[table] = isOnDisk[table] ? diskCount++ : memoryCount++;
    }
  }

  private StoreTable home(int table) {
    return isOnDisk[table] ? disk : memory;
  }

  @Override
  public byte @Nullable [] get(int table, byte[] key) {
    return home(table).get(numbers[table], key);
  }

  @Override
  public List<byte @Nullable []> getAll(int table, List<byte[]> keys) {
    return home(table).getAll(numbers[table], keys);
  }

  /** The disk first: if it refuses, nothing has changed. */
  @Override
  public void apply(ChangeBatch batch) {
    List<ChangeBatch> parts = new ArrayList<>();
    for (boolean onDisk : new boolean[] {true, false}) {
      ChangeBatch part = new ChangeBatch();
      for (ChangeBatch.Change change : batch.changes()) {
        if (isOnDisk[change.table()] == onDisk) {
          part.add(numbers[change.table()], change.key(), change.value());
        }
      }
      for (Map.Entry<Integer, RestorePoint> point : batch.points().entrySet()) {
        if (isOnDisk[point.getKey()] == onDisk) {
          part.moveTo(numbers[point.getKey()], point.getValue());
        }
      }
      parts.add(part);
    }
    disk.apply(parts.get(0));
    memory.apply(parts.get(1));
  }

  @Override
  public RestorePoint restorePoint(int table) {
    return home(table).restorePoint(numbers[table]);
  }

  @Override
  public void scan(int table, byte @Nullable [] from, byte @Nullable [] to, EntryVisitor visitor) {
    home(table).scan(numbers[table], from, to, visitor);
  }

  @Override
  public void clear(int table, String why) {
    home(table).clear(numbers[table], why);
  }

  @Override
  public boolean clearIfStale(int table) {
    return home(table).clearIfStale(numbers[table]);
  }

  @Override
  public void noteComplete(int table) {
    home(table).noteComplete(numbers[table]);
  }

  @Override
  public void show() {
    disk.show();
    memory.show();
  }

  @Override
  public void hide() {
    disk.hide();
    memory.hide();
  }

  @Override
  public TableSize size(int table) {
    return home(table).size(numbers[table]);
  }

  @Override
  public void close() {
    try {
      disk.close();
    } finally {
      memory.close();
    }
  }
}
