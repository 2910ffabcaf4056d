package io.fencepost.broker.disk;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.Content;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real disk that refuses what it is told to refuse, for tests: while it is full nothing grows,
 * and forces fail as often as asked for. Thread-safe.
 */
public final class FaultyDisk implements Disk {
  private final Disk disk;
  private final AtomicInteger failingForces = new AtomicInteger();
  private volatile boolean full;

  public FaultyDisk(Disk disk) {
    this.disk = disk;
  }

  /** There is no room from now on, until {@link #free}. */
  public void fill() {
    full = true;
  }

  /** There is room again. */
  public void free() {
    full = false;
  }

  /** The next force fails; each further call lets one more fail. */
  public void failNextForce() {
    failingForces.incrementAndGet();
  }

  private void checkRoom(String path) {
    if (full) {
      throw new DiskException("no room for " + disk.absolutePath(path) + ": the disk is full");
    }
  }

  private void checkForce(String path) {
    if (failingForces.get() > 0 && failingForces.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new DiskException(disk.absolutePath(path) + " could not be forced: input/output error");
    }
  }

  @Override
  public AppendFile open(String path) {
    if (full && !disk.exists(path)) {
      checkRoom(path);
    }
    return new FaultyFile(path, disk.open(path));
  }

  @Override
  public boolean exists(String path) {
    return disk.exists(path);
  }

  @Override
  public List<String> list(String directory) {
    return disk.list(directory);
  }

  @Override
  public byte[] read(String path) {
    return disk.read(path);
  }

  @Override
  public void replace(String path, Content content) {
    checkRoom(path);
    disk.replace(path, content);
  }

  @Override
  public void rename(String from, String to) {
    disk.rename(from, to);
  }

  @Override
  public void delete(String path) {
    disk.delete(path);
  }

  @Override
  public void createDirectory(String path) {
    if (full && !disk.exists(path)) {
      checkRoom(path);
    }
    disk.createDirectory(path);
  }

  @Override
  public void forceDirectory(String directory) {
    checkForce(directory);
    disk.forceDirectory(directory);
  }

  @Override
  public String absolutePath(String path) {
    return disk.absolutePath(path);
  }

  private final class FaultyFile implements AppendFile {
    private final String path;
    private final AppendFile file;

    FaultyFile(String path, AppendFile file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public long sizeBytes() {
      return file.sizeBytes();
    }

    @Override
    public void append(ByteBuffer bytes) {
      checkRoom(path);
      file.append(bytes);
    }

    @Override
    public int read(ByteBuffer into, long position) {
      return file.read(into, position);
    }

    @Override
    public void write(ByteBuffer bytes, long position) {
      file.write(bytes, position);
    }

    @Override
    public void truncate(long sizeBytes) {
      file.truncate(sizeBytes);
    }

    @Override
    public void force() {
      checkForce(path);
      file.force();
    }

    @Override
    public Bytes region(long position, int sizeBytes) {
      return file.region(position, sizeBytes);
    }

    @Override
    public void close() {
      file.close();
    }

    @Override
    public String toString() {
      return file.toString();
    }
  }
}
