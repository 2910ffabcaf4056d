package io.fencepost.streams.rocks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A lock file held by this process; the system frees it when the process dies.
 *
 * <p>The system keeps such locks per process and frees one as soon as the process closes the file,
 * whichever channel had it open. So a second try in this process must not even open it.
 */
public final class DirectoryLock implements AutoCloseable {
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;
  private boolean isClosed;

  private DirectoryLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** The lock, or null if someone holds it, in this process or another. */
  public static @Nullable DirectoryLock tryLock(Path file) throws IOException {
    Path directory = Files.createDirectories(file.toAbsolutePath().getParent()).toRealPath();
    Path real = directory.resolve(file.getFileName());
    if (!HELD_HERE.add(real)) {
      return null;
    }
    DirectoryLock lock = null;
    try {
      lock = lock(real);
      return lock;
    } finally {
      if (lock == null) {
        HELD_HERE.remove(real);
      }
    }
  }

  private static @Nullable DirectoryLock lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return new DirectoryLock(file, channel);
      }
    } catch (OverlappingFileLockException e) {
      // another copy of this class in this process
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    return null;
  }

  public FileChannel channel() {
    return channel;
  }

  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      HELD_HERE.remove(file);
    }
  }
}
