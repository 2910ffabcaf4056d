package io.fencepost.broker.producer;

/** Arithmetic of sequence numbers: they count records and run 0 to 2147483647, then 0 again. */
public final class Sequences {
  /** No batch was seen yet; its successor is 0. */
  public static final int NONE = -1;

  private Sequences() {}

  /** The sequence that comes {@code delta} records after {@code first}. */
  public static int plus(int first, int delta) {
    return (first + delta) & Integer.MAX_VALUE;
  }

  /** The only sequence that may follow {@code last}. */
  public static int next(int last) {
    return last == NONE ? 0 : plus(last, 1);
  }

  /** How many records {@code last} is after {@code first}. */
  public static int distance(int first, int last) {
    return (last - first) & Integer.MAX_VALUE;
  }

  /** The one from which the other is reached sooner by counting on, as both are of one flight. */
  static int earlier(int one, int other) {
    return distance(one, other) <= distance(other, one) ? one : other;
  }
}
