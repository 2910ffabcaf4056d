package io.fencepost.broker.batch;

/** A batch is compressed by a codec whose library is not on the class path. Says which to add. */
public final class CodecMissingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CodecMissingException(String message, Throwable cause) {
    super(message, cause);
  }
}
