package io.fencepost.broker.port;

import java.nio.ByteBuffer;

/**
 * A file that grows at its end. Appends and truncations come from one thread at a time; reads,
 * {@link #region} and {@link #force} may come from any thread at any time. All methods throw {@link
 * DiskException}.
 */
public interface AppendFile extends AutoCloseable {
  /** The length that reads can see, forced or not. */
  long sizeBytes();

  /** Writes all remaining bytes at the end, or throws and leaves the size as it was. */
  void append(ByteBuffer bytes);

  /** Fills the buffer from the position on as far as the file reaches; returns the bytes read. */
  int read(ByteBuffer into, long position);

  /** Overwrites bytes that exist already. */
  void write(ByteBuffer bytes, long position);

  /** Cuts the file to this size. */
  void truncate(long sizeBytes);

  /** Returns when all that was appended before the call is on disk. */
  void force();

  /** A region inside the current size, for sending without a copy; valid while the file is open. */
  Bytes region(long position, int sizeBytes);

  /** Closes without forcing. Repeated calls do nothing. */
  @Override
  void close();
}
