package io.fencepost.broker.batch;

/** Bytes that claim to be a batch or its records, and are not. The message says what and where. */
public class MalformedBatchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public MalformedBatchException(String message) {
    super(message);
  }

  public MalformedBatchException(String message, Throwable cause) {
    super(message, cause);
  }
}
