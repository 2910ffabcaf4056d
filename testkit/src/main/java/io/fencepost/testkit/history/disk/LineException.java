package io.fencepost.testkit.history.disk;

/** A line that is no event of a history; the message says what was expected. */
final class LineException extends Exception {
  private static final long serialVersionUID = 1;

  private final boolean isJson;

  /**
   * With what was expected.
   *
   * @param isJson whether the line is a JSON object, so that it was written to its end
   */
  LineException(String message, boolean isJson) {
    super(message);
    this.isJson = isJson;
  }

  boolean isJson() {
    return isJson;
  }
}
