package io.fencepost.broker.wire;

/**
 * Bytes that are no message, or a message that a version can't express. The text says which field
 * and, on reading, at which position; the connection that sent such bytes gets closed.
 */
public final class WireException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public WireException(String message) {
    super(message);
  }

  /** There is no such version of the message. */
  public static WireException unsupported(String message, int version) {
    return new WireException(message + " has no version " + version);
  }

  /** A field is set that the version does not have and that must not be dropped. */
  public static WireException absent(String field, int version) {
    return new WireException(
        field + " is set, but version " + version + " has no such field and it can't be left out");
  }

  /** A field is null where the version wants a value. */
  public static WireException nullValue(String field, int version) {
    return new WireException(field + " is null, which version " + version + " does not allow");
  }
}
