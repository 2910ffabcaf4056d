package io.fencepost.broker.disk;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Content;
import io.fencepost.broker.port.DiskException;
import java.nio.file.Path;

/**
 * A broker's directory for those who only look: nothing is created, locked or changed, and a
 * request to do so throws. The directory may belong to a running broker; then each file is seen as
 * long as it was when it was opened. Thread-safe.
 */
public final class ReadOnlyDisk extends DirectoryDisk {

  public ReadOnlyDisk(Path root) {
    super(root);
  }

  @Override
  public AppendFile open(String path) {
    return new ReadOnlyFile(resolve(path));
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

  static DiskException readOnly(Object path) {
    return new DiskException(path + " was opened for looking only: nothing may change it");
  }
}
