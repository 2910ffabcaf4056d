package io.fencepost.streams.rocks;

import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.store.StoreFailure;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a task's tables under one directory: {@code task-N} with {@code task-N.lock} beside it.
 * Damaged or foreign tables are renamed to {@code task-N.aside-TIME} and rebuilt from the
 * changelog. Tables live in memory only if all stores of the job do.
 */
public final class TaskStores implements StoreOpener {
  private static final Logger log = LoggerFactory.getLogger(TaskStores.class);

  private final Path directory;
  private final List<StoreSpec<?, ?>> stores;
  private final String identity;
  private final RocksMemory memory;

  public TaskStores(
      Path directory, List<StoreSpec<?, ?>> stores, String identity, RocksMemory memory) {
    this.directory = directory;
    this.stores = stores;
    this.identity = identity;
    this.memory = memory;
  }

  @Override
  public @Nullable StoreTable open(int partition) {
    if (stores.stream().noneMatch(StoreSpec::isPersistent)) {
      return new MemoryTable(stores.size());
    }
    DirectoryLock lock = null;
    boolean isOpen = false;
    try {
      lock = DirectoryLock.tryLock(directory.resolve("task-" + partition + ".lock"));
      if (lock == null) {
        return null;
      }
      StoreTable table = openLocked(partition, lock);
      isOpen = table != null;
      return table;
    } catch (IOException | RocksDBException e) {
      throw new StoreFailure(
          "store " + path(partition) + " cannot be opened: " + e.getMessage(), e);
    } finally {
      if (!isOpen && lock != null) {
        lock.close();
      }
    }
  }

  private @Nullable StoreTable openLocked(int partition, DirectoryLock lock)
      throws IOException, RocksDBException {
    if (Files.exists(damageMark(path(partition)))) {
      setAside(partition, "damage was found while reading it");
    }
    RocksTable table = openOrRebuild(partition, lock);
    String found = table.identity();
    if (found == null || found.equals(identity)) {
      table.claim(identity);
      return table;
    }
    table.close(); // and with it the lock
    setAside(partition, "it belongs to changelogs " + found + ", the job's are " + identity);
    return open(partition);
  }

  private RocksTable openOrRebuild(int partition, DirectoryLock lock)
      throws IOException, RocksDBException {
    try {
      return openTable(path(partition), lock);
    } catch (RocksDBException e) {
      if (!RocksTable.isDamage(e)) {
        throw e;
      }
      setAside(partition, String.valueOf(e.getMessage()));
    }
    return openTable(path(partition), lock);
  }

  private RocksTable openTable(Path path, DirectoryLock lock) throws IOException, RocksDBException {
    Files.createDirectories(path);
    List<String> names = stores.stream().<String>map(StoreSpec::name).toList();
    Runnable markDamage = () -> mark(damageMark(path));
    return new RocksTable(path, names, memory, new RocksTable.Hooks(markDamage, lock::close));
  }

  private static Path damageMark(Path path) {
    return path.resolve("DAMAGED");
  }

  private static void mark(Path file) {
    try {
      Files.writeString(file, "set aside at the next start\n");
    } catch (IOException e) {
      log.warn("{} could not be written", file, e);
    }
  }

  @Override
  public void setAside(int partition, String why) {
    Path path = path(partition);
    if (!Files.exists(path)) {
      return;
    }
    Path aside = directory.resolve("task-" + partition + ".aside-" + System.currentTimeMillis());
    try {
      Files.move(path, aside);
      log.warn("store {} set aside as {} and rebuilt from its changelog: {}", path, aside, why);
    } catch (IOException e) {
      throw new StoreFailure("store " + path + " cannot be set aside: " + e, e);
    }
  }

  private Path path(int partition) {
    return directory.resolve("task-" + partition);
  }
}
