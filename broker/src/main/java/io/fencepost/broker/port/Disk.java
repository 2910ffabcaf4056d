package io.fencepost.broker.port;

import java.util.List;

/**
 * One broker's directory. Paths are relative to it and use '/'. What was not forced may be lost, in
 * part and in any order, when the power fails; what was written survives the process. All methods
 * throw {@link DiskException}. Thread-safe for different paths.
 */
public interface Disk {
  /** Opens the file for appending and reading, and creates it (and its directory) if absent. */
  AppendFile open(String path);

  boolean exists(String path);

  /**
   * The names, not paths, of files and directories inside, sorted; empty if there is no such one.
   */
  List<String> list(String directory);

  /** The whole content of a small file. */
  byte[] read(String path);

  /** Replaces the file so that any crash leaves either the old content or the new one. */
  void replace(String path, Content content);

  /** As {@link #replace(String, Content)}, of something small. */
  default void replace(String path, byte[] content) {
    replace(path, Content.of(content));
  }

  /** Renames a file or a directory; the target must not exist. */
  void rename(String from, String to);

  /** Deletes a file, or a directory with all that is in it; does nothing if absent. */
  void delete(String path);

  void createDirectory(String path);

  /** Makes created, renamed and deleted names in this directory durable. */
  void forceDirectory(String directory);

  /** An absolute path in the file system for a library that opens its own files. */
  String absolutePath(String path);
}
