package io.fencepost.streams.rocks;

import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.ChangelogTopic;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreFailure;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TableSize;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task's tables as column families of one RocksDB, changelog positions in the default one, so
 * that one WriteBatch moves data and positions together. The log of RocksDB is written but not
 * forced: kill -9 loses nothing, power loss falls back to an earlier batch, and the changelog gives
 * the rest.
 */
final class RocksTable implements StoreTable {
  private static final Logger log = LoggerFactory.getLogger(RocksTable.class);

  private static final long UNKNOWN = Long.MIN_VALUE;

  private final Path directory;
  private final List<Owner> owners;
  private final DBOptions dbOptions;
  private final ColumnFamilyOptions tableOptions;
  private final RocksDB db;
  private final List<ColumnFamilyHandle> families;
  private final ColumnFamilyHandle[] tables;
  private final RestorePoint[] points;

  /** When each table last was known to hold all that its changelog did; {@link #UNKNOWN}. */
  private final long[] completeAtMs;

  private final InstantSource clock;
  private boolean isShown;
  private final WriteOptions writeOptions = new WriteOptions();
  private final Runnable onDamage;
  private final Runnable onClose;
  private boolean isClosed;

  /**
   * Whose state a table is.
   *
   * @param store the store's name
   * @param layout of its entries; kept with the state
   * @param changelog its id is kept with the state: that of a topic that was deleted is not ours
   */
  record Owner(String store, String layout, ChangelogTopic changelog) {
    String identity() {
      return changelog.id();
    }

    byte[] family() {
      return utf8("t-" + store);
    }

    byte[] pointKey() {
      return utf8("at:" + store);
    }

    byte[] identityKey() {
      return utf8("of:" + store);
    }

    byte[] layoutKey() {
      return utf8("as:" + store);
    }

    private static byte[] utf8(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }

  /** Whom to tell: of damage found while reading, and of the end; and whom to ask for the time. */
  record Hooks(Runnable onDamage, Runnable onClose, InstantSource clock) {}

  RocksTable(Path directory, List<Owner> owners, RocksMemory memory, Hooks hooks)
      throws RocksDBException {
    this.directory = directory;
    this.owners = owners;
    this.onDamage = hooks.onDamage();
    this.onClose = hooks.onClose();
    this.dbOptions = memory.dbOptions();
    this.tableOptions = memory.tableOptions();
    this.families = new ArrayList<>();
    this.tables = new ColumnFamilyHandle[owners.size()];
    this.points = new RestorePoint[owners.size()];
    this.completeAtMs = new long[owners.size()];
    this.clock = hooks.clock();
    try {
      this.db = RocksDB.open(dbOptions, directory.toString(), descriptors(), families);
    } catch (RocksDBException e) {
      closeOptions();
      throw e;
    }
    try {
      for (int table = 0; table < tables.length; table++) {
        tables[table] = families.get(table + 1);
        points[table] = readPoint(table);
        claim(table);
        checkLayout(table);
      }
    } catch (RocksDBException | StoreFailure e) {
      closeDatabase();
      throw e;
    }
  }

  private List<ColumnFamilyDescriptor> descriptors() throws RocksDBException {
    List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, tableOptions));
    for (Owner owner : owners) {
      descriptors.add(new ColumnFamilyDescriptor(owner.family(), tableOptions));
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

  private RestorePoint readPoint(int table) throws RocksDBException {
    byte[] point = db.get(families.get(0), owners.get(table).pointKey());
    completeAtMs[table] = UNKNOWN;
    if (point == null) {
      return RestorePoint.EMPTY;
    }
    ByteBuffer buffer = ByteBuffer.wrap(point);
    RestorePoint read = new RestorePoint(buffer.getLong(), buffer.getLong());
    if (buffer.hasRemaining()) {
      completeAtMs[table] = buffer.getLong(); // earlier versions did not write it
    }
    return read;
  }

  /** A new table takes the identity of its changelog; what belongs to another one is left alone. */
  private void claim(int table) throws RocksDBException {
    Owner owner = owners.get(table);
    byte[] stored = db.get(families.get(0), owner.identityKey());
    String identity = stored == null ? null : new String(stored, StandardCharsets.UTF_8);
    if (owner.identity().equals(identity)) {
      return;
    }
    boolean hasState = points[table].position() > 0 || !isEmpty(table);
    if (identity != null && hasState) {
      throw new StoreFailure(
          "store "
              + owner.store()
              + " in "
              + directory
              + " is the state of changelog topic "
              + owner.changelog().name()
              + " with id "
              + identity
              + ", and that topic now has id "
              + owner.identity()
              + ": it was deleted and made anew, so this may be the last copy of the state. To go"
              + " on with an empty store, delete that directory on all instances (other stores in"
              + " it are restored from their changelogs), and reset the group's offsets if the"
              + " state is to be built anew from the input",
          null);
    } else if (hasState) {
      empty(table, "it does not say which changelog it belongs to", keepAside(owner.store()));
    } else {
      db.put(families.get(0), owner.identityKey(), Owner.utf8(owner.identity()));
    }
  }

  /** Earlier versions did not write it down: then it is taken for what the job expects. */
  private void checkLayout(int table) throws RocksDBException {
    Owner owner = owners.get(table);
    byte[] stored = db.get(families.get(0), owner.layoutKey());
    String layout = stored == null ? owner.layout() : new String(stored, StandardCharsets.UTF_8);
    if (!layout.equals(owner.layout()) && (points[table].position() > 0 || !isEmpty(table))) {
      throw new StoreFailure(
          "store "
              + owner.store()
              + " in "
              + directory
              + " holds "
              + layout
              + ", and the job keeps "
              + owner.layout()
              + " under that name now. Give the operator another name; or, if the old state is of"
              + " no use, delete that directory on all instances and topic "
              + owner.changelog().name(),
          null);
    }
    if (stored == null || !layout.equals(owner.layout())) {
      db.put(families.get(0), owner.layoutKey(), Owner.utf8(owner.layout()));
    }
  }

  private boolean isEmpty(int table) throws RocksDBException {
    try (RocksIterator iterator = db.newIterator(tables[table])) {
      iterator.seekToFirst();
      boolean isEmpty = !iterator.isValid();
      iterator.status();
      return isEmpty;
    }
  }

  @Override
  public void clear(int table, String why) {
    try {
      empty(table, why, keepAside(owners.get(table).store()));
    } catch (RocksDBException e) {
      throw failure("be cleared", e);
    }
  }

  /**
   * The position and the identity go first and reach the disk before the data goes: a crash between
   * the two leaves data without an owner, which is cleared at the next start.
   */
  private void empty(int table, String why, @Nullable Path aside) throws RocksDBException {
    Owner owner = owners.get(table);
    try (WriteBatch write = new WriteBatch();
        WriteOptions forced = new WriteOptions().setSync(true)) {
      write.delete(families.get(0), owner.pointKey());
      write.delete(families.get(0), owner.identityKey());
      db.write(forced, write);
    }
    points[table] = RestorePoint.EMPTY;
    completeAtMs[table] = UNKNOWN;
    ColumnFamilyHandle old = tables[table];
    db.dropColumnFamily(old);
    tables[table] = db.createColumnFamily(new ColumnFamilyDescriptor(owner.family(), tableOptions));
    families.set(families.indexOf(old), tables[table]);
    old.close();
    db.put(families.get(0), owner.identityKey(), Owner.utf8(owner.identity()));
    log.warn(
        "store {} of {} was cleared and is rebuilt from its changelog: {}{}",
        owner.store(),
        directory,
        why,
        aside == null ? "" : "; what it held is in " + aside);
  }

  /** Hard links to the files as they are; null if the file system has none to give. */
  private @Nullable Path keepAside(String store) {
    Path aside =
        directory.resolveSibling(
            directory.getFileName() + ".aside-" + store + "-" + System.currentTimeMillis());
    try (Checkpoint checkpoint = Checkpoint.create(db)) {
      checkpoint.createCheckpoint(aside.toString());
      return aside;
    } catch (RocksDBException e) {
      log.warn("{} could not be kept aside before it is cleared", directory, e);
      return null;
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
        if (isShown || completeAtMs[entry.getKey()] == UNKNOWN) {
          completeAtMs[entry.getKey()] = clock.millis();
        }
        put(write, entry.getKey(), entry.getValue());
      }
      db.write(writeOptions, write);
      batch.points().forEach((table, point) -> points[table] = point);
    } catch (RocksDBException e) {
      throw failure("write", e);
    }
  }

  private void put(WriteBatch write, int table, RestorePoint point) throws RocksDBException {
    byte[] bytes =
        ByteBuffer.allocate(3 * Long.BYTES)
            .putLong(point.position())
            .putLong(point.newestMs())
            .putLong(completeAtMs[table])
            .array();
    write.put(families.get(0), owners.get(table).pointKey(), bytes);
  }

  @Override
  public void show() {
    isShown = true;
    for (int table = 0; table < tables.length; table++) {
      noteComplete(table);
    }
  }

  /** Says nothing of now: a process that stood still may have lost its task long ago. */
  @Override
  public void hide() {
    isShown = false;
  }

  /** Stored with the next change, or at the end. */
  @Override
  public void noteComplete(int table) {
    completeAtMs[table] = clock.millis();
  }

  /** No copy is kept aside: that a job stood still for a while is nothing to look into. */
  @Override
  public boolean clearIfStale(int table) {
    ChangelogTopic changelog = owners.get(table).changelog();
    long atMs = completeAtMs[table];
    boolean isFresh =
        points[table].position() == 0
            || atMs == UNKNOWN
            || clock.millis() - atMs <= changelog.deleteRetentionMs();
    if (isFresh) {
      return false;
    }
    try {
      empty(
          table,
          "it was last known to be complete at "
              + Instant.ofEpochMilli(atMs)
              + ", longer ago than delete.retention.ms="
              + changelog.deleteRetentionMs()
              + " of topic "
              + changelog.name()
              + ", so deletions made since may be gone from there",
          null);
      return true;
    } catch (RocksDBException e) {
      throw failure("be cleared", e);
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

  @Override
  public TableSize size(int table) {
    try {
      return new TableSize(
          db.getLongProperty(tables[table], "rocksdb.estimate-num-keys"),
          db.getLongProperty(tables[table], "rocksdb.total-sst-files-size")
              + db.getLongProperty(tables[table], "rocksdb.size-all-mem-tables"));
    } catch (RocksDBException e) {
      throw failure("be measured", e);
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
        storeTimes();
        closeDatabase();
      } finally {
        onClose.run();
      }
    }
  }

  /** What does not go through is stored too early, and costs a restore at worst. */
  private void storeTimes() {
    try (WriteBatch write = new WriteBatch()) {
      for (int table = 0; table < tables.length; table++) {
        if (points[table].position() > 0 && completeAtMs[table] != UNKNOWN) {
          put(write, table, points[table]);
        }
      }
      db.write(writeOptions, write);
    } catch (RocksDBException e) {
      log.warn("{}: the time of its end could not be stored", directory, e);
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
