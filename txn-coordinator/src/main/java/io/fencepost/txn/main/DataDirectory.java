package io.fencepost.txn.main;

import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.core.DirectoryCheck;
import io.fencepost.broker.disk.DirectoryLock;
import io.fencepost.broker.disk.ReadOnlyDisk;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.txn.check.CoordinatorCheck;
import io.fencepost.txn.rocks.ReadOnlyRows;
import io.fencepost.txn.table.MemoryTables;
import java.nio.file.Files;
import java.nio.file.Path;

/** The directory of a broker that does not run, for those who only look. */
public final class DataDirectory {
  private static final String STATE = ReadOnlyRows.DIRECTORY;

  private DataDirectory() {}

  /**
   * What was looked at.
   *
   * @param batchCount of all partitions
   */
  public record Checked(int topicCount, int partitionCount, long batchCount) {}

  /**
   * Compares every file with every other that must agree with it: checksums, offsets, indexes,
   * leader epochs, producer snapshots and aborted transactions against the logs, the coordinators'
   * rows against the internal topics; in the directory of a cluster the same for each broker, and
   * the replicas against each other. Changes nothing. Memory grows with the number of producers,
   * groups and transactional ids, not with the logs.
   *
   * @throws DiskException if there is no such directory or a broker has it
   */
  public static Checked check(Path directory, Findings findings) {
    Disk disk = new ReadOnlyDisk(directory);
    if (!Files.isDirectory(directory)) {
      throw new DiskException("there is no directory " + directory);
    }
    if (DirectoryLock.isHeld(directory)) {
      throw new DiskException(
          "a broker is running in " + directory + ": stop it first, its files change all the time");
    }
    if (disk.exists(FencepostCluster.CONTROLLER) || disk.exists(FencepostCluster.BROKER + 1)) {
      return ClusterDirectory.check(directory, findings);
    }
    DirectoryCheck.Summary summary = DirectoryCheck.run(disk, findings);
    replay(disk, summary, findings).alone();
    return new Checked(
        summary.cluster().topics().size(), summary.partitions().size(), batchCount(summary));
  }

  static long batchCount(DirectoryCheck.Summary summary) {
    return summary.partitions().values().stream().mapToLong(p -> p.batchCount()).sum();
  }

  /** The coordinators' rows of one broker against its logs. */
  static CoordinatorCheck replay(Disk disk, DirectoryCheck.Summary summary, Findings findings) {
    if (!ReadOnlyRows.exist(disk)) {
      return CoordinatorCheck.replay(disk, summary, new MemoryTables(), STATE, findings);
    }
    ReadOnlyRows rows;
    try {
      rows = ReadOnlyRows.open(disk);
    } catch (DiskException damaged) {
      rowsAreDamaged(damaged, findings);
      return CoordinatorCheck.replay(disk, summary, new MemoryTables(), STATE, findings);
    }
    try {
      rows.verify();
      return CoordinatorCheck.replay(disk, summary, rows, STATE, findings);
    } catch (DiskException damaged) {
      rowsAreDamaged(damaged, findings);
      return CoordinatorCheck.replay(disk, summary, new MemoryTables(), STATE, findings);
    } finally {
      rows.close();
    }
  }

  private static void rowsAreDamaged(DiskException damaged, Findings findings) {
    findings.damage(
        STATE,
        Finding.WHOLE,
        damaged.getMessage() + " (the next start rebuilds them from the internal topics)");
  }
}
