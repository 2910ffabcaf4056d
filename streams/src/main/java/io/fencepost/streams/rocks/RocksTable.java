package io.fencepost.streams.rocks;

import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreFailure;
import io.fencepost.streams.store.StoreTable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * A task's tables as column families of one RocksDB, changelog positions in the default one, so
 * that one WriteBatch moves data and positions together. The log of RocksDB is written but not
 * forced: kill -9 loses nothing, power loss falls back to an earlier batch, and the changelog gives
 * the rest.
 */
final class RocksTable implements StoreTable {
  private static final byte[] IDENTITY = "identity".getBytes(StandardCharsets.UTF_8);

  private final Path directory;
  private final List<byte[]> names;
  private final DBOptions dbOptions;
  private final ColumnFamilyOptions tableOptions;
  private final RocksDB db;
  private final List<ColumnFamilyHandle> families;
  private final ColumnFamilyHandle[] tables;
  private final RestorePoint[] points;
  private final WriteOptions writeOptions = new WriteOptions();
  private final Runnable onDamage;
  private final Runnable onClose;
  private final @Nullable String identity;
  private boolean isClosed;

  /** Whom to tell: of damage found while reading, and of the end. */
  record Hooks(Runnable onDamage, Runnable onClose) {}

  RocksTable(Path directory, List<String> storeNames, RocksMemory memory, Hooks hooks)
      throws RocksDBException {
    this.directory = directory;
    this.names = storeNames.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toList();
    this.onDamage = hooks.onDamage();
    this.onClose = hooks.onClose();
    this.dbOptions = memory.dbOptions();
    this.tableOptions = memory.tableOptions();
    this.families = new ArrayList<>();
    this.tables = new ColumnFamilyHandle[names.size()];
    this.points = new RestorePoint[names.size()];
    try {
      this.db = RocksDB.open(dbOptions, directory.toString(), descriptors(), families);
    } catch (RocksDBException e) {
      closeOptions();
      throw e;
    }
    try {
      readPoints();
      byte[] stored = db.get(families.get(0), IDENTITY);
      this.identity = stored == null ? null : new String(stored, StandardCharsets.UTF_8);
    } catch (RocksDBException e) {
      closeDatabase();
      throw e;
    }
  }

  private List<ColumnFamilyDescriptor> descriptors() throws RocksDBException {
    List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, tableOptions));
    for (byte[] name : names) {
      descriptors.add(new ColumnFamilyDescriptor(familyName(name), tableOptions));
    }
    try (Options options = new Options()) {
      for (byte[] existing : RocksDB.listColumnFamilies(options, directory.toString())) {
        boolean isKnown =
            descriptors.stream().anyMatch(known -> Arrays.equals(known.getName(), existing));
        if (!isKnown) {
          descriptors.add(
              new ColumnFamilyDescriptor(existing, tableOptions)); // a store no longer used
        }
      }
    }
    return descriptors;
  }

  private static byte[] familyName(byte[] store) {
    return ("t-" + new String(store, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
  }

  private void readPoints() throws RocksDBException {
    for (int i = 0; i < tables.length; i++) {
      tables[i] = families.get(i + 1);
      byte[] point = db.get(families.get(0), names.get(i));
      if (point == null) {
        points[i] = RestorePoint.EMPTY;
      } else {
        ByteBuffer buffer = ByteBuffer.wrap(point);
        points[i] = new RestorePoint(buffer.getLong(), buffer.getLong());
      }
    }
  }

  /** Which changelog topics this stood for when it was opened; null if it is new. */
  @Nullable String identity() {
    return identity;
  }

  /** From now on it stands for those; closed if that fails. */
  void claim(String newIdentity) throws RocksDBException {
    try {
      db.put(families.get(0), IDENTITY, newIdentity.getBytes(StandardCharsets.UTF_8));
    } catch (RocksDBException e) {
      close();
      throw e;
    }
  }

  @Override
  public byte @Nullable [] get(int table, byte[] key) {
    try {
      return db.get(tables[table], key);
    } catch (RocksDBException e) {
      throw failure("read", e);
    }
  }

  @Override
  public List<byte @Nullable []> getAll(int table, List<byte[]> keys) {
    if (keys.isEmpty()) {
      return Collections.emptyList(); // RocksDB asserts that there is a key
    }
    try {
      return db.multiGetAsList(Collections.nCopies(keys.size(), tables[table]), keys);
    } catch (RocksDBException e) {
      throw failure("read", e);
    }
  }

  @Override
  public void apply(ChangeBatch batch) {
    try (WriteBatch write = new WriteBatch()) {
      for (ChangeBatch.Change change : batch.changes()) {
        byte[] value = change.value();
        if (value == null) {
          write.delete(tables[change.table()], change.key());
        } else {
          write.put(tables[change.table()], change.key(), value);
        }
      }
      for (Map.Entry<Integer, RestorePoint> entry : batch.points().entrySet()) {
        ByteBuffer point = ByteBuffer.allocate(16);
        point.putLong(entry.getValue().position()).putLong(entry.getValue().newestMs());
        write.put(families.get(0), names.get(entry.getKey()), point.array());
      }
      db.write(writeOptions, write);
      batch.points().forEach((table, point) -> points[table] = point);
    } catch (RocksDBException e) {
      throw failure("write", e);
    }
  }

  @Override
  public RestorePoint restorePoint(int table) {
    return points[table];
  }

  @Override
  public void scan(int table, byte @Nullable [] from, byte @Nullable [] to, EntryVisitor visitor) {
    try (Slice end = to == null ? null : new Slice(to);
        ReadOptions options = new ReadOptions()) {
      if (end != null) {
        options.setIterateUpperBound(end);
      }
      try (RocksIterator iterator = db.newIterator(tables[table], options)) {
        if (from == null) {
          iterator.seekToFirst();
        } else {
          iterator.seek(from);
        }
        while (iterator.isValid() && visitor.entry(iterator.key(), iterator.value())) {
          iterator.next();
        }
        iterator.status();
      }
    } catch (RocksDBException e) {
      throw failure("scan", e);
    }
  }

  private StoreFailure failure(String verb, RocksDBException error) {
    boolean isDamaged = isDamage(error);
    if (isDamaged) {
      onDamage.run();
    }
    return new StoreFailure(
        "store "
            + directory
            + " could not "
            + verb
            + ": "
            + error.getMessage()
            + (isDamaged
                ? ". It is set aside and rebuilt from its changelog at the next start"
                : ""),
        error);
  }

  static boolean isDamage(RocksDBException error) {
    Status status = error.getStatus();
    if (status == null) {
      return false;
    }
    // A table file that is gone is found when it is first read, as an error of input and output.
    boolean isGone = String.valueOf(status.getState()).contains("No such file");
    return status.getCode() == Status.Code.Corruption
        || (status.getCode() == Status.Code.IOError && isGone);
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      try {
        closeDatabase();
      } finally {
        onClose.run();
      }
    }
  }

  /** Column families, database, options: the other way round crashes the process. */
  private void closeDatabase() {
    families.forEach(ColumnFamilyHandle::close);
    db.close();
    closeOptions();
  }

  private void closeOptions() {
    writeOptions.close();
    tableOptions.close();
    dbOptions.close();
  }
}
