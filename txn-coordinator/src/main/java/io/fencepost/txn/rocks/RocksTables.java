package io.fencepost.txn.rocks;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.txn.table.Keys;
import io.fencepost.txn.table.RowVisitor;
import io.fencepost.txn.table.Table;
import io.fencepost.txn.table.Tables;
import io.fencepost.txn.table.WriteSet;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of one broker in one RocksDB: a column family per {@link Table}, no write-ahead log (the
 * internal topics are that), flushed atomically over all families. So after any crash the rows are
 * those after some prefix of the write sets, and the tail of the log brings the rest.
 *
 * <p>Thread-safe: calls share a lock that only closing takes for itself.
 */
public final class RocksTables implements Tables {
  private static final Logger LOG = LoggerFactory.getLogger(RocksTables.class);
  private static final String DIRECTORY = "coordinator-state";

  /** Stands beside the rows once damage was met in them: the next start does not use them. */
  private static final String DAMAGED = DIRECTORY + ".damaged";

  private final @Nullable Disk disk;
  private final RocksTuning tuning;
  private final RocksDB db;
  private final EnumMap<Table, ColumnFamilyHandle> families;
  private final WriteOptions withoutLog = new WriteOptions().setDisableWAL(true);
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private boolean closed;

  private RocksTables(
      @Nullable Disk disk,
      RocksTuning tuning,
      RocksDB db,
      EnumMap<Table, ColumnFamilyHandle> families) {
    this.disk = disk;
    this.tuning = tuning;
    this.db = db;
    this.families = families;
  }

  /**
   * Opens the broker's rows. What cannot be read is set aside, as the log can bring all of it back.
   */
  public static RocksTables open(Disk disk) {
    RocksDB.loadLibrary();
    disk.createDirectory(DIRECTORY);
    if (disk.exists(DAMAGED)) {
      setAside(disk, "damage was met in it");
      disk.delete(DAMAGED);
    }
    String path = disk.absolutePath(DIRECTORY);
    try {
      return openAt(disk, path, new RocksTuning());
    } catch (RocksDBException e) {
      setAside(disk, String.valueOf(e.getMessage()));
    }
    try {
      return openAt(disk, path, new RocksTuning());
    } catch (RocksDBException e) {
      throw failed("open", e);
    }
  }

  /** Rows that go with the broker, beside a directory that does too: nothing is on disk. */
  public static RocksTables temporary() {
    RocksDB.loadLibrary();
    try {
      return openAt(null, "/" + DIRECTORY, new RocksTuning().inMemory());
    } catch (RocksDBException e) {
      throw failed("open", e);
    }
  }

  private static void setAside(Disk disk, String why) {
    String aside = freeName(disk);
    LOG.warn(
        "Coordinator state in {} cannot be read ({}): moved to {} and rebuilt from the internal"
            + " topics; the moved directory is not needed any more",
        disk.absolutePath(DIRECTORY),
        why,
        aside);
    disk.rename(DIRECTORY, aside);
    disk.createDirectory(DIRECTORY);
  }

  private static String freeName(Disk disk) {
    int number = 1;
    while (disk.exists(DIRECTORY + ".unreadable-" + number)) {
      number++;
    }
    return DIRECTORY + ".unreadable-" + number;
  }

  private static RocksTables openAt(@Nullable Disk disk, String path, RocksTuning tuning)
      throws RocksDBException {
    List<ColumnFamilyDescriptor> wanted = new ArrayList<>();
    wanted.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, tuning.family()));
    for (Table table : Table.values()) {
      wanted.add(
          new ColumnFamilyDescriptor(
              table.label().getBytes(StandardCharsets.UTF_8), tuning.family()));
    }
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    boolean isOpen = false;
    try {
      RocksDB db = RocksDB.open(tuning.database(), path, wanted, handles);
      EnumMap<Table, ColumnFamilyHandle> families = new EnumMap<>(Table.class);
      int next = 1;
      for (Table table : Table.values()) {
        families.put(table, handles.get(next++));
      }
      handles.get(0).close();
      isOpen = true;
      return new RocksTables(disk, tuning, db, families);
    } finally {
      if (!isOpen) {
        tuning.close();
      }
    }
  }

  @Override
  public byte @Nullable [] get(Table table, byte[] key) {
    Lock held = held();
    try {
      return db.get(family(table), key);
    } catch (RocksDBException e) {
      throw met("read", e);
    } finally {
      held.unlock();
    }
  }

  @Override
  public void scan(Table table, byte[] prefix, byte[] firstKey, RowVisitor visitor) {
    Lock held = held();
    try (RocksIterator rows = db.newIterator(family(table))) {
      rows.seek(firstKey);
      while (rows.isValid() && Keys.beginsWith(rows.key(), prefix)) {
        if (!visitor.row(rows.key(), rows.value())) {
          return;
        }
        rows.next();
      }
      rows.status();
    } catch (RocksDBException e) {
      throw met("scan", e);
    } finally {
      held.unlock();
    }
  }

  @Override
  public void write(WriteSet changes) {
    Lock held = held();
    try (WriteBatch batch = new WriteBatch()) {
      changes.forEach((table, key, value) -> add(batch, table, key, value));
      db.write(withoutLog, batch);
    } catch (RocksDBException e) {
      throw failed("write", e);
    } finally {
      held.unlock();
    }
  }

  private void add(WriteBatch batch, Table table, byte[] key, byte @Nullable [] value) {
    try {
      if (value == null) {
        batch.delete(family(table), key);
      } else {
        batch.put(family(table), key, value);
      }
    } catch (RocksDBException e) {
      throw failed("write", e);
    }
  }

  @Override
  public void flush() {
    Lock held = held();
    try {
      flushAll();
    } finally {
      held.unlock();
    }
  }

  private void flushAll() {
    try (FlushOptions wait = new FlushOptions().setWaitForFlush(true)) {
      db.flush(wait, List.copyOf(families.values()));
    } catch (RocksDBException e) {
      throw failed("flush", e);
    }
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      try {
        flushAll();
      } catch (DiskException e) {
        LOG.warn("{}; the next start replays more of the internal topics", e.getMessage());
      }
      families.values().forEach(ColumnFamilyHandle::close);
      db.close();
      withoutLog.close();
      tuning.close();
    } finally {
      lock.writeLock().unlock();
    }
  }

  private Lock held() {
    Lock shared = lock.readLock();
    shared.lock();
    if (closed) {
      shared.unlock();
      throw new DiskException("The coordinator state is closed: the broker is stopping");
    }
    return shared;
  }

  private ColumnFamilyHandle family(Table table) {
    ColumnFamilyHandle handle = families.get(table);
    if (handle == null) {
      throw new IllegalStateException("no column family for " + table);
    }
    return handle;
  }

  /** Damage stays: the rows are given up at the next start, as the log brings all of them back. */
  private DiskException met(String what, RocksDBException why) {
    Status status = why.getStatus();
    if (disk == null || status == null || status.getCode() != Status.Code.Corruption) {
      return failed(what, why);
    }
    disk.replace(DAMAGED, new byte[0]);
    return new DiskException(
        "The coordinator state in "
            + disk.absolutePath(DIRECTORY)
            + " is damaged ("
            + why.getMessage()
            + "): restart the broker, it then rebuilds it from the internal topics",
        why);
  }

  private static DiskException failed(String what, RocksDBException why) {
    return new DiskException(
        "RocksDB could not "
            + what
            + " the coordinator state ("
            + why.getMessage()
            + "): check space and permissions of the broker's directory",
        why);
  }
}
