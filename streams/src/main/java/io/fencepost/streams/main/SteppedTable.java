package io.fencepost.streams.main;

import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TableSize;
import io.fencepost.streams.task.JobSteps;
import io.fencepost.streams.task.JobSteps.Step;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tables that pass {@link JobSteps} around each write. */
final class SteppedTable implements StoreTable {
  private final StoreTable tables;
  private final JobSteps steps;
  private final String worker;

  SteppedTable(StoreTable tables, JobSteps steps, String worker) {
    this.tables = tables;
    this.steps = steps;
    this.worker = worker;
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
    steps.pass(Step.BEFORE_APPLY, worker, null);
    tables.apply(batch);
    steps.pass(Step.AFTER_APPLY, worker, null);
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
    tables.clear(table, why);
  }

  @Override
  public TableSize size(int table) {
    return tables.size(table);
  }

  @Override
  public void show() {
    tables.show();
  }

  @Override
  public void hide() {
    tables.hide();
  }

  @Override
  public void close() {
    tables.close();
  }
}
