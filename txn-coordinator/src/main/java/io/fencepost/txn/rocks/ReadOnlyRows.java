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
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Logger;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * The coordinators' rows for those who only look: no file is created or changed, and a running
 * broker is not disturbed. What that broker has not flushed yet is not seen. Thread-safe, except
 * {@link #close}.
 */
public final class ReadOnlyRows implements Tables {
  /** In the broker's directory. */
  public static final String DIRECTORY = "coordinator-state";

  private static final String CURRENT = DIRECTORY + "/CURRENT";

  private final DBOptions options;
  private final ColumnFamilyOptions familyOptions;
  private final Logger silent;
  private final RocksDB db;
  private final EnumMap<Table, ColumnFamilyHandle> families = new EnumMap<>(Table.class);
  private final List<ColumnFamilyHandle> handles = new ArrayList<>();

  private ReadOnlyRows(String path) throws RocksDBException {
    this.options = new DBOptions();
    this.familyOptions = new ColumnFamilyOptions();
    this.silent = new Silence();
    options.setLogger(silent);
    List<ColumnFamilyDescriptor> present = new ArrayList<>();
    try (Options look = new Options()) {
      for (byte[] name : RocksDB.listColumnFamilies(look, path)) {
        present.add(new ColumnFamilyDescriptor(name, familyOptions));
      }
    }
    this.db = RocksDB.openReadOnly(options, path, present, handles);
    for (Table table : Table.values()) {
      byte[] label = table.label().getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < present.size(); i++) {
        if (Arrays.equals(present.get(i).getName(), label)) {
          families.put(table, handles.get(i));
        }
      }
    }
  }

  /** Else RocksDB would write a log file of its own into the directory. */
  private static final class Silence extends Logger {
    Silence() {
      super(InfoLogLevel.HEADER_LEVEL);
    }

    @Override
    protected void log(InfoLogLevel level, String line) {}
  }

  /** Whether there are rows at all: a young broker has none. */
  public static boolean exist(Disk disk) {
    return disk.exists(CURRENT) || disk.list(DIRECTORY).stream().anyMatch(ReadOnlyRows::isContent);
  }

  private static boolean isContent(String name) {
    return name.startsWith("MANIFEST-") || name.endsWith(".sst");
  }

  /** Throws {@link DiskException} where RocksDB cannot make sense of its files. */
  public static ReadOnlyRows open(Disk disk) {
    RocksDB.loadLibrary();
    try {
      return new ReadOnlyRows(disk.absolutePath(DIRECTORY));
    } catch (RocksDBException e) {
      throw failed("be opened", e);
    }
  }

  /** Reads all files and compares every block with its checksum; throws at the first damage. */
  public void verify() {
    try {
      db.verifyChecksum();
    } catch (RocksDBException e) {
      throw failed("be read", e);
    }
  }

  @Override
  public byte @Nullable [] get(Table table, byte[] key) {
    ColumnFamilyHandle family = families.get(table);
    try {
      return family == null ? null : db.get(family, key);
    } catch (RocksDBException e) {
      throw failed("be read", e);
    }
  }

  @Override
  public void scan(Table table, byte[] prefix, byte[] firstKey, RowVisitor visitor) {
    ColumnFamilyHandle family = families.get(table);
    if (family == null) {
      return;
    }
    try (RocksIterator rows = db.newIterator(family)) {
      rows.seek(firstKey);
      while (rows.isValid() && Keys.beginsWith(rows.key(), prefix)) {
        if (!visitor.row(rows.key(), rows.value())) {
          return;
        }
        rows.next();
      }
      rows.status();
    } catch (RocksDBException e) {
      throw failed("be read", e);
    }
  }

  @Override
  public void write(WriteSet changes) {
    throw new DiskException("the coordinator state was opened for looking only");
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    handles.forEach(ColumnFamilyHandle::close);
    db.close();
    options.close();
    familyOptions.close();
    silent.close();
  }

  private static DiskException failed(String what, RocksDBException why) {
    return new DiskException(
        "the coordinators' rows cannot " + what + ": " + why.getMessage(), why);
  }
}
