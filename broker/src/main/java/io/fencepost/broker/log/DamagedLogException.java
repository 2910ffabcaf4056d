package io.fencepost.broker.log;

import io.fencepost.broker.port.DiskException;

/**
 * Bytes in a segment are no intact batch, or what was safely on disk is gone. Says which file,
 * where, and what to do.
 */
public final class DamagedLogException extends DiskException {
  private static final long serialVersionUID = 1L;

  DamagedLogException(String message) {
    super(message);
  }
}
