package io.fencepost.broker.log;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Disk;

/** A file with the producers' state as of an offset (exclusive). */
public final class Snapshot {
  private final Disk disk;
  private final String path;
  private final long offset;

  Snapshot(Disk disk, String path, long offset) {
    this.disk = disk;
    this.path = path;
    this.offset = offset;
  }

  public long offset() {
    return offset;
  }

  /** For reading; the caller closes it. */
  public AppendFile open() {
    return disk.open(path);
  }
}
