package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;

/**
 * Remembers beside a log that a force of it failed, or was begun by a recovery that has not ended.
 * Caches may then show bytes that the disk never got and that no later force will write: a recovery
 * must write anew what it trusts. An empty file, never forced: a power failure that takes it away
 * takes the caches away too.
 */
final class ForceDoubt {
  private final Disk disk;
  private final String path;

  ForceDoubt(Disk disk, String directory) {
    this.disk = disk;
    this.path = directory + "/" + SegmentNames.FORCE_DOUBT;
  }

  boolean isRaised() {
    return disk.exists(path);
  }

  void raise() {
    disk.open(path).close();
  }

  /** While something else is wrong already: a disk that refuses this too has said it otherwise. */
  void tryToRaise() {
    try {
      raise();
    } catch (DiskException refused) {
      // The log takes no more writes, and is cut or closed by whoever is told.
      return;
    }
  }

  void settle() {
    disk.delete(path);
  }
}
