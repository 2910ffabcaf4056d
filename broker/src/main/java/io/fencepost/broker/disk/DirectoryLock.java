package io.fencepost.broker.disk;

import io.fencepost.broker.port.DiskException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive right to a broker's directory, held from start to stop. The system gives it back
 * when the process dies, however it dies.
 */
public final class DirectoryLock implements AutoCloseable {
  private static final String NAME = ".lock";

  /**
   * The system's locks belong to the process and fall when any handle on the file is closed, also
   * one that was only opened to try. So the same JVM must not even open the file a second time.
   */
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;
  private final FileLock lock;

  private DirectoryLock(Path directory, FileChannel channel, FileLock lock) {
    this.directory = directory;
    this.channel = channel;
    this.lock = lock;
  }

  /** Creates the directory if absent. Throws {@link DiskException} if anybody else holds it. */
  public static DirectoryLock acquire(Path directory) {
    Path real;
    try {
      if (Files.exists(directory) && !Files.isDirectory(directory)) {
        throw new DiskException(
            directory + " is a file, the broker needs a directory: choose another");
      }
      Files.createDirectories(directory);
      real = directory.toRealPath();
    } catch (IOException e) {
      throw FileDisk.refused("use the directory", directory, e);
    }
    if (!HELD_HERE.add(real)) {
      throw inUse(real, "another broker in this JVM");
    }
    boolean held = false;
    try {
      DirectoryLock lock = lock(real);
      held = true;
      return lock;
    } catch (IOException e) {
      throw FileDisk.refused("use the directory", real, e);
    } finally {
      if (!held) {
        HELD_HERE.remove(real);
      }
    }
  }

  /**
   * Whether a broker has the directory now. Changes nothing; throws if that cannot be told, as with
   * a lock file that may not be read.
   */
  public static boolean isHeld(Path directory) {
    try {
      if (!Files.exists(directory.resolve(NAME))) {
        return false;
      }
      Path real = directory.toRealPath();
      return HELD_HERE.contains(real) || isHeldElsewhere(real);
    } catch (IOException e) {
      throw FileDisk.refused("look at the lock of", directory, e);
    }
  }

  private static boolean isHeldElsewhere(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory.resolve(NAME), StandardOpenOption.READ);
        FileLock shared = channel.tryLock(0, Long.MAX_VALUE, true)) {
      return shared == null;
    } catch (OverlappingFileLockException e) {
      return true;
    }
  }

  private static DirectoryLock lock(Path directory) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve(NAME),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    FileLock lock = tryLock(channel);
    if (lock == null) {
      String holder = holder(channel);
      channel.close();
      throw inUse(directory, "another process" + holder);
    }
    channel.truncate(0);
    byte[] pid = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
    channel.write(ByteBuffer.wrap(pid), 0);
    return new DirectoryLock(directory, channel, lock);
  }

  /** Null if somebody else has it: another process, or this one through another class loader. */
  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  private static DiskException inUse(Path directory, String by) {
    return new DiskException(
        "the directory "
            + directory
            + " is in use by "
            + by
            + ": stop that one, or choose another directory");
  }

  private static String holder(FileChannel channel) throws IOException {
    ByteBuffer pid = ByteBuffer.allocate(20);
    channel.read(pid, 0);
    String text = new String(pid.array(), 0, pid.position(), StandardCharsets.US_ASCII);
    return text.isEmpty() ? "" : " (process " + text + ")";
  }

  /** Gives the directory back. Repeated calls do nothing. */
  @Override
  public void close() {
    try {
      if (channel.isOpen()) {
        lock.release();
        channel.close();
        HELD_HERE.remove(directory);
      }
    } catch (IOException e) {
      throw new DiskException("cannot unlock the broker's directory: " + e.getMessage(), e);
    }
  }
}
