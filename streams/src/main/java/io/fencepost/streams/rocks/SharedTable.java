package io.fencepost.streams.rocks;

import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TableSize;
import java.util.List;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tables that any thread may {@link #read} beside the one that works on them, while that one {@link
 * #show shows} them: a standby copy, or what is still restored, is no committed state. The worker,
 * being the only writer, reads without the lock; its writes (one batch per transaction) and the end
 * exclude the readers, so that these see committed states only and never a closed database.
 */
public final class SharedTable implements StoreTable {
  private final StoreTable tables;
  private final Consumer<SharedTable> onClose;
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private boolean isClosed;
  private volatile boolean isShown;

  SharedTable(StoreTable tables, Consumer<SharedTable> onClose) {
    this.tables = tables;
    this.onClose = onClose;
  }

  /** Whether {@link #read} finds a committed state now. */
  public boolean isShown() {
    return isShown;
  }

  /**
   * Reads one committed state; null if it is not shown or closed. Holds up the worker's commit: be
   * short.
   */
  public <T> @Nullable T read(Function<StoreTable, @Nullable T> reader) {
    lock.readLock().lock();
    try {
      return isShown ? reader.apply(tables) : null;
    } finally {
      lock.readLock().unlock();
    }
  }

  private void exclusively(Runnable change) {
    lock.writeLock().lock();
    try {
      change.run();
    } finally {
      lock.writeLock().unlock();
    }
  }

  @Override
  public byte @Nullable [] get(int table, byte[] key) {
    return tables.get(table, key);
  }

  @Override
  public List<byte @Nullable []> getAll(int table, List<byte[]> keys) {
    return tables.getAll(table, keys);
  }

  @Override
  public void apply(ChangeBatch batch) {
    exclusively(() -> tables.apply(batch));
  }

  @Override
  public RestorePoint restorePoint(int table) {
    return tables.restorePoint(table);
  }

  @Override
  public void scan(int table, byte @Nullable [] from, byte @Nullable [] to, EntryVisitor visitor) {
    tables.scan(table, from, to, visitor);
  }

  @Override
  public void clear(int table, String why) {
    exclusively(() -> tables.clear(table, why));
  }

  @Override
  public boolean clearIfStale(int table) {
    boolean[] isCleared = {false};
    exclusively(() -> isCleared[0] = tables.clearIfStale(table));
    return isCleared[0];
  }

  @Override
  public void noteComplete(int table) {
    tables.noteComplete(table);
  }

  @Override
  public TableSize size(int table) {
    return tables.size(table);
  }

  @Override
  public void show() {
    exclusively(
        () -> {
          isShown = !isClosed;
          tables.show();
        });
  }

  @Override
  public void hide() {
    exclusively(
        () -> {
          isShown = false;
          tables.hide();
        });
  }

  @Override
  public void close() {
    exclusively(
        () -> {
          isShown = false;
          if (!isClosed) {
            isClosed = true;
            onClose.accept(this);
            tables.close();
          }
        });
  }
}
