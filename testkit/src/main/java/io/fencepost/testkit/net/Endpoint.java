package io.fencepost.testkit.net;

/** Where a broker listens. */
public record Endpoint(String host, int port) {
  private static final int PORT_MAX = 65_535;

  /**
   * Reads {@code HOST:PORT}.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public static Endpoint parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 1 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    String digits = text.substring(colon + 1);
    if (host.isEmpty() || !digits.matches("[0-9]{1,5}") || Integer.parseInt(digits) > PORT_MAX) {
      throw new IllegalArgumentException("'" + text + "' is no address like HOST:PORT");
    }
    return new Endpoint(host, Integer.parseInt(digits));
  }

  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
