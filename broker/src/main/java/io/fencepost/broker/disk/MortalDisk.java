package io.fencepost.broker.disk;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.Content;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A disk whose broker can be killed in a living JVM: from {@link #die} on it takes and gives
 * nothing, so that threads which have not noticed yet change nothing any more. Remembers how much
 * of each file was forced, so that {@link #losePower} can take the rest away, as a power failure
 * may.
 *
 * <p>Outlives the lives of its broker: {@link #revive} begins the next one. Thread-safe.
 */
public final class MortalDisk implements Disk {
  private final Disk disk;

  /** Bytes that are surely on disk, by file; of those only that were opened for appending. */
  private final TreeMap<String, Long> forcedBytes = new TreeMap<>();

  /** Where the last write began and ended; null before the first. */
  private @Nullable LastWrite lastWrite;

  private int life;
  private boolean dead;

  private record LastWrite(String path, long from, long to) {
    /** The first byte that did not make it. */
    long middle() {
      return from + (to - from) / 2;
    }
  }

  public MortalDisk(Disk disk) {
    this.disk = disk;
  }

  /** The broker is gone. */
  public synchronized void die() {
    dead = true;
  }

  /** The next life begins; who stayed from an earlier one is still shut out of its files. */
  public synchronized void revive() {
    dead = false;
    life++;
  }

  /**
   * Cuts every file to what was forced, between two lives. What was there before this disk was
   * looked at first counts as forced.
   *
   * @return how many bytes are gone
   */
  public synchronized long losePower() {
    long lost = 0;
    for (Map.Entry<String, Long> entry : forcedBytes.entrySet()) {
      lost += cutTo(entry.getKey(), entry.getValue());
    }
    return lost;
  }

  /**
   * The same in the middle of the last write: of that a half stays, and what is before it in the
   * same file. A write that was forced since is whole.
   *
   * @return how many bytes are gone
   */
  public synchronized long tearTail() {
    LastWrite torn = lastWrite;
    Long forced = torn == null ? null : forcedBytes.get(torn.path);
    if (torn == null || forced == null || forced >= torn.to) {
      return losePower();
    }
    long middle = Math.max(forced, torn.middle());
    long lost = cutTo(torn.path, middle);
    forcedBytes.put(torn.path, middle);
    return lost + losePower();
  }

  private long cutTo(String path, long sizeBytes) {
    if (!disk.exists(path)) {
      return 0;
    }
    try (AppendFile file = disk.open(path)) {
      long lost = file.sizeBytes() - sizeBytes;
      if (lost > 0) {
        file.truncate(sizeBytes);
      }
      return Math.max(0, lost);
    }
  }

  private synchronized void wrote(String path, long from, long to) {
    lastWrite = new LastWrite(path, from, to);
  }

  private Disk living() {
    checkAlive(life);
    return disk;
  }

  private synchronized void checkAlive(int ofLife) {
    if (dead || ofLife != life) {
      throw new DiskException("the broker of " + disk.absolutePath("") + " was killed");
    }
  }

  private synchronized void forced(String path, long sizeBytes) {
    forcedBytes.put(path, sizeBytes);
  }

  private synchronized void cut(String path, long sizeBytes) {
    forcedBytes.computeIfPresent(path, (name, forced) -> Math.min(forced, sizeBytes));
  }

  private synchronized void gone(String path) {
    forcedBytes.remove(path);
    under(path).clear();
  }

  private SortedMap<String, Long> under(String path) {
    return forcedBytes.subMap(path + "/", path + "0");
  }

  @Override
  public AppendFile open(String path) {
    boolean isNew = !living().exists(path);
    AppendFile file = disk.open(path);
    synchronized (this) {
      forcedBytes.putIfAbsent(path, isNew ? 0 : file.sizeBytes());
      return new MortalFile(path, file, life);
    }
  }

  @Override
  public boolean exists(String path) {
    return living().exists(path);
  }

  @Override
  public List<String> list(String directory) {
    return living().list(directory);
  }

  @Override
  public byte[] read(String path) {
    return living().read(path);
  }

  @Override
  public void replace(String path, Content content) {
    living().replace(path, content);
    gone(path);
  }

  @Override
  public void rename(String from, String to) {
    living().rename(from, to);
    synchronized (this) {
      TreeMap<String, Long> moved = new TreeMap<>();
      under(from).forEach((path, forced) -> moved.put(to + path.substring(from.length()), forced));
      Long own = forcedBytes.get(from);
      if (own != null) {
        moved.put(to, own);
      }
      gone(from);
      forcedBytes.putAll(moved);
    }
  }

  @Override
  public void delete(String path) {
    living().delete(path);
    gone(path);
  }

  @Override
  public void createDirectory(String path) {
    living().createDirectory(path);
  }

  @Override
  public void forceDirectory(String directory) {
    living().forceDirectory(directory);
  }

  @Override
  public String absolutePath(String path) {
    return disk.absolutePath(path);
  }

  /** A file of one life. */
  private final class MortalFile implements AppendFile {
    private final String path;
    private final AppendFile file;
    private final int ofLife;

    MortalFile(String path, AppendFile file, int ofLife) {
      this.path = path;
      this.file = file;
      this.ofLife = ofLife;
    }

    private AppendFile living() {
      checkAlive(ofLife);
      return file;
    }

    @Override
    public long sizeBytes() {
      return file.sizeBytes();
    }

    @Override
    public void append(ByteBuffer bytes) {
      AppendFile own = living();
      long before = own.sizeBytes();
      own.append(bytes);
      wrote(path, before, own.sizeBytes());
    }

    @Override
    public int read(ByteBuffer into, long position) {
      return file.read(into, position);
    }

    @Override
    public void write(ByteBuffer bytes, long position) {
      living().write(bytes, position);
    }

    @Override
    public void truncate(long sizeBytes) {
      living().truncate(sizeBytes);
      cut(path, sizeBytes);
    }

    @Override
    public void force() {
      long size = file.sizeBytes();
      living().force();
      forced(path, size);
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
