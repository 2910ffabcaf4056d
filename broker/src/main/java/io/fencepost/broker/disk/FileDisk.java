package io.fencepost.broker.disk;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Content;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;

/** The {@link Disk} below one directory of the file system. Thread-safe for different paths. */
public final class FileDisk extends DirectoryDisk {
  private static final String UNFINISHED = ".tmp";

  private final boolean outlivesPower;

  /** The directory is created if absent. */
  public FileDisk(Path root) {
    this(root, true);
  }

  private FileDisk(Path root, boolean outlivesPower) {
    super(root);
    this.outlivesPower = outlivesPower;
    createDirectories(root());
  }

  /**
   * For a directory that goes when its owner stops: nobody will look for it after a power failure,
   * so forcing does nothing.
   */
  public static FileDisk temporary(Path root) {
    return new FileDisk(root, false);
  }

  @Override
  public AppendFile open(String path) {
    Path file = resolve(path);
    Path parent = file.getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      createDirectories(parent);
    }
    return new ChannelFile(file, outlivesPower);
  }

  @Override
  public void replace(String path, Content content) {
    Path file = resolve(path);
    Path unfinished = resolve(path + UNFINISHED);
    try {
      if (file.getParent() != null) {
        Files.createDirectories(file.getParent());
      }
      try (FileChannel channel =
          FileChannel.open(
              unfinished,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        content.writeTo(piece -> writeFully(channel, piece));
        if (outlivesPower) {
          channel.force(true);
        }
      }
      moveOver(unfinished, file);
    } catch (IOException e) {
      throw refused("replace", file, e);
    } catch (UncheckedIOException e) {
      throw refused("replace", file, Objects.requireNonNull(e.getCause()));
    } finally {
      // Half a file must not fill a full disk further; it is there only if it was not moved.
      var unused = unfinished.toFile().delete();
    }
    forcePath(Objects.requireNonNullElse(file.getParent(), root()));
  }

  private static void writeFully(FileChannel channel, ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void moveOver(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Override
  public void rename(String from, String to) {
    Path source = resolve(from);
    Path target = resolve(to);
    if (Files.exists(target)) {
      throw new DiskException("cannot rename " + source + " to " + target + ", which exists");
    }
    try {
      if (target.getParent() != null) {
        Files.createDirectories(target.getParent());
      }
      Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw refused("rename", source, e);
    }
  }

  @Override
  public void delete(String path) {
    Path target = resolve(path);
    try {
      if (!Files.isDirectory(target)) {
        Files.deleteIfExists(target);
        return;
      }
      try (Stream<Path> tree = Files.walk(target)) {
        for (Path entry : tree.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(entry);
        }
      }
    } catch (NoSuchFileException gone) {
      // Somebody else removed it meanwhile, which is what was wanted.
      return;
    } catch (IOException e) {
      throw refused("delete", target, e);
    }
  }

  @Override
  public void createDirectory(String path) {
    createDirectories(resolve(path));
  }

  @Override
  public void forceDirectory(String directory) {
    forcePath(resolve(directory));
  }

  /** Removes what a crash in the middle of a {@link #replace} may have left in the directory. */
  public void removeUnfinished(String directory) {
    for (String name : list(directory)) {
      if (name.endsWith(UNFINISHED)) {
        delete(directory.isEmpty() ? name : directory + "/" + name);
      }
    }
  }

  private static void createDirectories(Path path) {
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw refused("create the directory", path, e);
    }
  }

  private void forcePath(Path directory) {
    if (!outlivesPower || isWindows()) {
      // Windows has no handle on a directory to flush; its file system journals names itself.
      return;
    }
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      throw refused("force the directory", directory, e);
    }
  }

  private static boolean isWindows() {
    return File.separatorChar == '\\';
  }

  static DiskException refused(String action, Path path, IOException cause) {
    return new DiskException("cannot " + action + " " + path + ": " + reason(cause), cause);
  }

  private static String reason(IOException cause) {
    String message = cause.getMessage() == null ? "" : cause.getMessage();
    if (cause instanceof FileSystemException told) {
      // Its message begins with the path, and may be nothing else.
      message = told.getReason() == null ? "" : told.getReason();
    }
    if (message.isEmpty()) {
      return kind(cause);
    }
    return message.contains("No space left")
        ? message + " (free some space; the broker goes on by itself)"
        : message;
  }

  private static String kind(IOException cause) {
    if (cause instanceof FileAlreadyExistsException) {
      return "something else has this name already";
    } else if (cause instanceof NoSuchFileException) {
      return "it does not exist";
    } else if (cause instanceof AccessDeniedException) {
      return "permission denied";
    }
    return cause.getClass().getSimpleName();
  }
}
