package io.fencepost.broker.disk;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Content;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A broker's directory for those who only look: nothing is created, locked or changed, and a
 * request to do so throws. The directory may belong to a running broker; then each file is seen as
 * long as it was when it was opened. Thread-safe.
 */
public final class ReadOnlyDisk implements Disk {
  private final Path root;

  public ReadOnlyDisk(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  @Override
  public AppendFile open(String path) {
    return new ReadOnlyFile(resolve(path));
  }

  @Override
  public boolean exists(String path) {
    return Files.exists(resolve(path));
  }

  @Override
  public List<String> list(String directory) {
    Path path = resolve(directory);
    if (!Files.isDirectory(path)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(path)) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).sorted().toList();
    } catch (IOException e) {
      throw FileDisk.refused("list", path, e);
    }
  }

  @Override
  public byte[] read(String path) {
    Path file = resolve(path);
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw FileDisk.refused("read", file, e);
    }
  }

  @Override
  public void replace(String path, Content content) {
    throw readOnly(path);
  }

  @Override
  public void rename(String from, String to) {
    throw readOnly(from);
  }

  @Override
  public void delete(String path) {
    throw readOnly(path);
  }

  @Override
  public void createDirectory(String path) {
    throw readOnly(path);
  }

  @Override
  public void forceDirectory(String directory) {
    throw readOnly(directory);
  }

  @Override
  public String absolutePath(String path) {
    return resolve(path).toString();
  }

  private Path resolve(String path) {
    Path resolved = root.resolve(path).normalize();
    if (!resolved.startsWith(root)) {
      throw new DiskException("the path " + path + " leads out of " + root);
    }
    return resolved;
  }

  static DiskException readOnly(Object path) {
    return new DiskException(path + " was opened for looking only: nothing may change it");
  }
}
