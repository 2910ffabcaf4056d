package io.fencepost.broker.disk;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Names and looks below one directory of the file system. */
abstract class DirectoryDisk implements Disk {
  private final Path root;

  DirectoryDisk(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  final Path root() {
    return root;
  }

  final Path resolve(String path) {
    Path resolved = root.resolve(path).normalize();
    if (!resolved.startsWith(root)) {
      throw new DiskException("the path " + path + " leads out of " + root);
    }
    return resolved;
  }

  @Override
  public final boolean exists(String path) {
    return Files.exists(resolve(path));
  }

  @Override
  public final List<String> list(String directory) {
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
  public final byte[] read(String path) {
    Path file = resolve(path);
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw FileDisk.refused("read", file, e);
    }
  }

  @Override
  public final String absolutePath(String path) {
    return resolve(path).toString();
  }
}
