package io.fencepost.broker.log;

/**
 * Gives the producers' state as of the log's end, as bytes that protect themselves by a checksum.
 */
public interface SnapshotSource {
  byte[] snapshot();
}
