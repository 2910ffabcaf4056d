package io.fencepost.broker.port;

/** The disk refused: full, read-only, gone or broken. Says which file and what to do. */
public class DiskException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public DiskException(String message, Throwable cause) {
    super(message, cause);
  }

  public DiskException(String message) {
    super(message);
  }
}
