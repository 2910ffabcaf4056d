package io.fencepost.testkit.history;

import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;

/**
 * A payment as it stands in a record's value. Keys of one writer and partition carry a number that
 * grows; a writer that does not know whether a transaction was committed sends its payments again
 * under the same keys.
 *
 * @param name of this record, used once in a run
 * @param key of the payment
 * @param origin the input record that this one was made from, or empty
 */
public record Posting(String name, Key key, BigDecimal amount, String origin) {
  private static final String BAR = "|";

  /** Whose payment it is, and its number among those of the writer and partition. */
  public record Key(String writer, long number) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::writer).thenComparingLong(Key::number);

    static Key parse(String text) {
      int dot = text.lastIndexOf('.');
      if (dot < 0) {
        throw new IllegalArgumentException("no key: " + text);
      }
      return new Key(text.substring(0, dot), Long.parseLong(text.substring(dot + 1)));
    }

    @Override
    public int compareTo(Key that) {
      return ORDER.compare(this, that);
    }

    @Override
    public String toString() {
      return writer + "." + number;
    }
  }

  /** What a job makes of an input record. */
  public Posting copied(String newName, int partition, long offset) {
    return new Posting(newName, key, amount, partition + "@" + offset);
  }

  /** The record's value. */
  public String text() {
    return String.join(BAR, name, key.toString(), amount.toPlainString(), origin);
  }

  /** Reads a record's value. */
  public static Posting parse(String text) {
    List<String> parts = List.of(text.split("\\|", -1));
    if (parts.size() != 4) {
      throw new IllegalArgumentException("no posting: " + text);
    }
    return new Posting(
        parts.get(0), Key.parse(parts.get(1)), new BigDecimal(parts.get(2)), parts.get(3));
  }
}
