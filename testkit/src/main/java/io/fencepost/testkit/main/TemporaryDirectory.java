package io.fencepost.testkit.main;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A directory that goes, with all that is in it, when it is closed, and when the JVM ends before
 * that, by Ctrl-C too.
 */
public final class TemporaryDirectory implements AutoCloseable {
  /** While it is removed, others that end at the same time may still write there. */
  private static final int TRIES = 20;

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Path path;
  private final Thread hook = new Thread(this::remove, "temporary-directory");

  private TemporaryDirectory(Path path) {
    this.path = path;
  }

  /** A fresh one where the system has its temporary files. */
  public static TemporaryDirectory create(String prefix) {
    return create(Path.of(System.getProperty("java.io.tmpdir")), prefix);
  }

  /** A fresh one below another. */
  public static TemporaryDirectory create(Path parent, String prefix) {
    try {
      TemporaryDirectory created =
          new TemporaryDirectory(Files.createTempDirectory(parent, prefix));
      Runtime.getRuntime().addShutdownHook(created.hook);
      return created;
    } catch (IOException e) {
      throw new UncheckedIOException("no temporary directory", e);
    }
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /** The end of the JVM leaves it. */
  public void keep() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM ends: the hook has run or runs.
    }
  }

  @Override
  public void close() {
    remove();
    keep();
  }

  private void remove() {
    for (int left = TRIES - 1; ; left--) {
      try {
        removeOnce();
        return;
      } catch (IOException | UncheckedIOException e) {
        if (left == 0) {
          throw new IllegalStateException("cannot remove " + path, e);
        }
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
  }

  private void removeOnce() throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    }
  }
}
