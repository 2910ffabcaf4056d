package io.fencepost.broker.log;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Entries of one size in a file, the newest of them still in memory, so that an append to the log
 * does not cost a write to its indexes. Opened when first needed. Single-threaded, except {@link
 * #force}.
 */
final class IndexFile {
  private static final int FLUSH_BYTES = 4096;

  private final Disk disk;
  private final String path;
  private final int entryBytes;
  private final ByteBuffer probe;
  private @Nullable AppendFile file;
  private int fileCount = -1;
  private int flushAtBytes = FLUSH_BYTES;
  private ByteBuffer tail = ByteBuffer.allocate(0);

  IndexFile(Disk disk, String path, int entryBytes) {
    this.disk = disk;
    this.path = path;
    this.entryBytes = entryBytes;
    this.probe = ByteBuffer.allocate(entryBytes);
  }

  String path() {
    return path;
  }

  boolean isOnDisk() {
    return disk.exists(path);
  }

  /** Whether the file's size is no multiple of an entry. */
  boolean isRagged() {
    return isOnDisk() && open().sizeBytes() % entryBytes != 0;
  }

  /** The whole file, which exists. */
  long sizeBytes() {
    return open().sizeBytes();
  }

  /** What lies in the file, without what is still in memory. */
  long fileBytes() {
    return (long) fileCount() * entryBytes;
  }

  int count() {
    return fileCount() + tail.position() / entryBytes;
  }

  /** A buffer at whose start the entry's bytes stand; valid until the next call. */
  ByteBuffer entry(int index) {
    int inFile = fileCount();
    if (index >= inFile) {
      probe.clear();
      int from = (index - inFile) * entryBytes;
      for (int i = 0; i < entryBytes; i++) {
        probe.put(i, tail.get(from + i));
      }
      return probe;
    }
    probe.clear();
    int read = open().read(probe, (long) index * entryBytes);
    if (read < entryBytes) {
      throw new DiskException("index " + path + " ends before its entry " + index);
    }
    return probe;
  }

  /** Where the next entry must be put, at the buffer's position; never fails for lack of disk. */
  ByteBuffer next() {
    if (tail.position() >= flushAtBytes) {
      try {
        flush();
        flushAtBytes = FLUSH_BYTES;
      } catch (DiskException full) {
        // The log itself took the append, so this entry must not fail: it stays in memory, and a
        // later flush, at the latest the one at the roll, reports the trouble.
        flushAtBytes = 2 * tail.position();
      }
    }
    if (tail.remaining() < entryBytes) {
      ByteBuffer grown = ByteBuffer.allocate(Math.max(entryBytes * 16, tail.capacity() * 2));
      tail.flip();
      grown.put(tail);
      tail = grown;
    }
    return tail;
  }

  /** Writes what is in memory to the file; creates it even if there is nothing to write. */
  void flush() {
    AppendFile out = open();
    if (tail.position() > 0) {
      int added = tail.position() / entryBytes;
      ByteBuffer bytes = tail.duplicate();
      bytes.flip();
      out.append(bytes);
      fileCount += added;
      tail.clear();
    }
  }

  /** Keeps the first entries only; a ragged end goes in any case. */
  void truncate(int count) {
    int inFile = fileCount();
    int keepInFile = Math.min(count, inFile);
    if (isOnDisk() && open().sizeBytes() != (long) keepInFile * entryBytes) {
      open().truncate((long) keepInFile * entryBytes);
      fileCount = keepInFile;
    }
    tail.position(Math.max(0, count - inFile) * entryBytes);
  }

  /** Makes the file durable; it must have been flushed. May be called from another thread. */
  void force() {
    AppendFile open = file;
    if (open != null) {
      open.force();
    }
  }

  /** Closes the file until it is needed again. */
  void park() {
    if (file != null && tail.position() == 0) {
      close();
    }
  }

  void close() {
    if (file != null) {
      file.close();
      file = null;
    }
  }

  /** Forgets the open file without closing it: regions of it may still be read by others. */
  void delete() {
    disk.delete(path);
  }

  private int fileCount() {
    if (fileCount < 0) {
      fileCount = isOnDisk() ? (int) (open().sizeBytes() / entryBytes) : 0;
    }
    return fileCount;
  }

  private AppendFile open() {
    AppendFile opened = file;
    if (opened == null) {
      opened = disk.open(path);
      file = opened;
      if (fileCount < 0) {
        fileCount = (int) (opened.sizeBytes() / entryBytes);
      }
    }
    return opened;
  }
}
