package io.fencepost.txn.main;

import io.fencepost.broker.disk.FileDisk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.txn.rocks.RocksTables;
import io.fencepost.txn.table.Tables;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The coordinators' rows, opened when somebody needs them. Thread-safe. */
final class LazyTables implements Supplier<Tables>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LazyTables.class);

  private final Path directory;
  private final boolean isTemporary;
  private @Nullable Tables open;
  private boolean closed;

  /**
   * @param isTemporary whether the rows, like the directory, need not outlive the broker
   */
  LazyTables(Path directory, boolean isTemporary) {
    this.directory = directory;
    this.isTemporary = isTemporary;
  }

  @Override
  public synchronized Tables get() {
    if (closed) {
      throw new DiskException("The coordinator state in " + directory + " is closed");
    }
    Tables tables = open;
    if (tables == null) {
      tables = isTemporary ? RocksTables.temporary() : RocksTables.open(new FileDisk(directory));
      open = tables;
    }
    return tables;
  }

  /** Opens ahead of the first use; the first user meets the same trouble and answers with it. */
  synchronized void warmUp() {
    if (closed) {
      return;
    }
    try {
      get();
    } catch (DiskException e) {
      LOG.warn("{}", e.getMessage());
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (open != null) {
      open.close();
    }
  }
}
