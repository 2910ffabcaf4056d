package io.fencepost.broker.port.sim;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.DiskException;
import java.nio.ByteBuffer;

/** An open file of a {@link SimDisk}; dead after the disk crashed. */
final class SimFile implements AppendFile {
  private final SimDisk disk;
  private final String path;
  private final SimTree.FileNode node;
  private final long generation;
  private boolean closed;

  SimFile(SimDisk disk, String path, SimTree.FileNode node) {
    this.disk = disk;
    this.path = path;
    this.node = node;
    this.generation = disk.generation();
  }

  @Override
  public long sizeBytes() {
    return node.size();
  }

  @Override
  public void append(ByteBuffer bytes) {
    requireOpen();
    disk.beforeAppend(path, bytes.remaining());
    byte[] added = new byte[bytes.remaining()];
    bytes.get(added);
    node.append(added);
  }

  @Override
  public int read(ByteBuffer into, long position) {
    requireOpen();
    int count = (int) Math.min(into.remaining(), node.size() - position);
    if (count <= 0) {
      return 0;
    }
    byte[] read = new byte[count];
    node.read((int) position, read, count);
    into.put(read);
    return count;
  }

  @Override
  public void write(ByteBuffer bytes, long position) {
    requireOpen();
    if (position < 0 || position + bytes.remaining() > node.size()) {
      throw new DiskException("a write behind the end of " + path);
    }
    disk.beforeChange();
    byte[] content = new byte[bytes.remaining()];
    bytes.get(content);
    node.write((int) position, content);
  }

  @Override
  public void truncate(long sizeBytes) {
    requireOpen();
    disk.beforeChange();
    node.truncate((int) sizeBytes);
  }

  @Override
  public void force() {
    requireOpen();
    disk.beforeForce();
    if (disk.failsForce()) {
      node.failForce();
      throw new DiskException("the simulated disk failed to force " + path);
    }
    disk.countForce();
    node.force();
  }

  @Override
  public Bytes region(long position, int sizeBytes) {
    requireOpen();
    if (position < 0 || sizeBytes < 0 || position + sizeBytes > node.size()) {
      throw new DiskException("a region behind the end of " + path);
    }
    return new Region(position, sizeBytes);
  }

  @Override
  public void close() {
    closed = true;
  }

  private void requireOpen() {
    if (closed) {
      throw new DiskException(path + " is closed");
    }
    if (generation != disk.generation()) {
      throw new DiskException(path + " was open when the simulated disk went down");
    }
  }

  /** Read when asked, as a real region would be. */
  private final class Region implements Bytes {
    private final long position;
    private final int sizeBytes;

    Region(long position, int sizeBytes) {
      this.position = position;
      this.sizeBytes = sizeBytes;
    }

    @Override
    public int sizeBytes() {
      return sizeBytes;
    }

    @Override
    public ByteBuffer toBuffer() {
      ByteBuffer into = ByteBuffer.allocate(sizeBytes);
      if (read(into, position) < sizeBytes) {
        throw new DiskException("a region of " + path + " was cut off while it was in use");
      }
      return into.flip();
    }
  }
}
