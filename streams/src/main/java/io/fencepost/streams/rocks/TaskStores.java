package io.fencepost.streams.rocks;

import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.store.ChangelogTopic;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.store.MixedTable;
import io.fencepost.streams.store.StoreFailure;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens tasks' tables under one directory: {@code TASK} with {@code TASK.lock} beside it for the
 * stores that are persistent, memory for the others. What is damaged is renamed to {@code
 * TASK.aside-TIME} and rebuilt from the changelogs; of a store that contradicts its changelog, a
 * copy is kept as {@code TASK.aside-STORE-TIME}. One whose changelog is another topic than before
 * is not opened: it may be the last copy. Thread-safe.
 */
public final class TaskStores implements StoreOpener {
  private static final Logger log = LoggerFactory.getLogger(TaskStores.class);

  private static final long WANTED_MS = 60_000;

  private final Path directory;
  private final Map<String, Part> parts;
  private final RocksMemory memory;
  private final InstantSource clock;
  private final Map<TaskId, SharedTable> open = new ConcurrentHashMap<>();

  /**
   * The stores of one part of the job.
   *
   * @param changelogs by store name
   */
  public record Part(List<StoreSpec<?, ?>> stores, Map<String, ChangelogTopic> changelogs) {
    private List<RocksTable.Owner> owners() {
      return stores.stream()
          .filter(StoreSpec::isPersistent)
          .map(store -> new RocksTable.Owner(store.name(), store.layout(), changelog(store)))
          .toList();
    }

    private ChangelogTopic changelog(StoreSpec<?, ?> store) {
      ChangelogTopic changelog = changelogs.get(store.name());
      if (changelog == null) {
        throw new IllegalStateException("store " + store.name() + " has no changelog");
      }
      return changelog;
    }
  }

  public TaskStores(Path directory, Map<String, Part> parts, RocksMemory memory) {
    this(directory, parts, memory, InstantSource.system());
  }

  TaskStores(Path directory, Map<String, Part> parts, RocksMemory memory, InstantSource clock) {
    this.directory = directory;
    this.parts = parts;
    this.memory = memory;
    this.clock = clock;
  }

  private Part part(TaskId task) {
    Part part = parts.get(task.part());
    if (part == null) {
      throw new IllegalStateException("task " + task + " belongs to no part of the job");
    }
    return part;
  }

  /** The tables that are open here, to be read by any thread; null if that task's are not. */
  public @Nullable SharedTable opened(TaskId task) {
    return open.get(task);
  }

  /** The stores of a task in the order of its tables. */
  public List<StoreSpec<?, ?>> specs(TaskId task) {
    return part(task).stores();
  }

  /** Whether someone has lately waited for the tables of a task that are held elsewhere. */
  public boolean isWanted(TaskId task) {
    long changedMs = wanted(task).toFile().lastModified();
    return System.currentTimeMillis() - changedMs < WANTED_MS;
  }

  private Path wanted(TaskId task) {
    return directory.resolve(task + ".wanted");
  }

  @Override
  public @Nullable StoreTable open(TaskId task) {
    StoreTable table = openIfFree(task);
    try {
      if (table != null) {
        Files.deleteIfExists(wanted(task));
      } else if (!isWanted(task)) {
        Files.writeString(wanted(task), "who keeps a standby copy of this task gives it up\n");
      }
    } catch (IOException e) {
      log.warn("{} could not be written or deleted", wanted(task), e);
    }
    return table;
  }

  /** As {@link #open}, but does not make those give way who keep a standby copy. */
  public @Nullable StoreTable openIfFree(TaskId task) {
    StoreTable tables = tables(task);
    if (tables == null) {
      return null;
    }
    SharedTable shared = new SharedTable(tables, closed -> open.remove(task, closed));
    open.put(task, shared);
    return shared;
  }

  private @Nullable StoreTable tables(TaskId task) {
    List<Boolean> persistent =
        part(task).stores().stream().<Boolean>map(StoreSpec::isPersistent).toList();
    int inMemory = Collections.frequency(persistent, false);
    if (inMemory == persistent.size()) {
      return new MemoryTable(inMemory);
    }
    RocksTable disk = openOnDisk(task);
    return disk == null || inMemory == 0
        ? disk
        : new MixedTable(disk, new MemoryTable(inMemory), persistent);
  }

  private @Nullable RocksTable openOnDisk(TaskId task) {
    DirectoryLock lock = null;
    boolean isOpen = false;
    try {
      lock = DirectoryLock.tryLock(directory.resolve(task + ".lock"));
      if (lock == null) {
        return null;
      }
      if (Files.exists(damageMark(path(task)))) {
        setAside(task, "damage was found while reading it");
      }
      RocksTable table = openOrRebuild(task, lock);
      isOpen = true;
      return table;
    } catch (IOException | RocksDBException e) {
      throw new StoreFailure(
          "store "
              + path(task)
              + " cannot be opened: "
              + e
              + ". See that state.dir is on a disk that has room and that this process may write",
          e);
    } finally {
      if (!isOpen && lock != null) {
        lock.close();
      }
    }
  }

  private RocksTable openOrRebuild(TaskId task, DirectoryLock lock)
      throws IOException, RocksDBException {
    try {
      return openTable(task, lock);
    } catch (RocksDBException e) {
      if (!RocksTable.isDamage(e)) {
        throw e;
      }
      setAside(task, String.valueOf(e.getMessage()));
    }
    return openTable(task, lock);
  }

  private RocksTable openTable(TaskId task, DirectoryLock lock)
      throws IOException, RocksDBException {
    Path path = path(task);
    Files.createDirectories(path);
    Runnable markDamage = () -> mark(damageMark(path));
    return new RocksTable(
        path, part(task).owners(), memory, new RocksTable.Hooks(markDamage, lock::close, clock));
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

  private static long changedMs(Path directory) throws IOException {
    long newestMs = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        newestMs = Math.max(newestMs, file.toFile().lastModified());
      }
    }
    return newestMs;
  }

  /** The tasks that have a directory here, with the time of its last change in milliseconds. */
  public Map<TaskId, Long> copies() {
    Map<TaskId, Long> copies = new TreeMap<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, Files::isDirectory)) {
      for (Path path : found) {
        String name = String.valueOf(path.getFileName());
        int dash = name.lastIndexOf('-');
        String part = dash < 0 ? "" : name.substring(0, dash);
        String number = name.substring(dash + 1);
        if (parts.containsKey(part) && number.matches("[0-9]{1,9}")) {
          copies.put(new TaskId(part, Integer.parseInt(number)), changedMs(path));
        }
      }
    } catch (NoSuchFileException e) {
      return copies;
    } catch (IOException | DirectoryIteratorException e) {
      log.warn("{} could not be listed: its state is not taken into account", directory, e);
    }
    return copies;
  }

  private void setAside(TaskId task, String why) {
    Path path = path(task);
    if (!Files.exists(path)) {
      return;
    }
    Path aside = directory.resolve(task + ".aside-" + System.currentTimeMillis());
    try {
      Files.move(path, aside);
      log.warn("store {} set aside as {} and rebuilt from its changelog: {}", path, aside, why);
    } catch (IOException e) {
      throw new StoreFailure("store " + path + " cannot be set aside: " + e, e);
    }
  }

  private Path path(TaskId task) {
    return directory.resolve(task.toString());
  }
}
