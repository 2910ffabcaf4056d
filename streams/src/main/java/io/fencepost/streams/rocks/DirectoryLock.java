package io.fencepost.streams.rocks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A lock file held by this process; the system frees it when the process dies. */
public final class DirectoryLock implements AutoCloseable {
  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /** The lock, or null if someone holds it, in this process or another. */
  public static @Nullable DirectoryLock tryLock(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return new DirectoryLock(channel);
      }
    } catch (OverlappingFileLockException e) {
      // another task of this very process
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
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
