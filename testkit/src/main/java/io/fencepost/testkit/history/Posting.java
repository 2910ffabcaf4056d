package io.fencepost.testkit.history;

import java.math.BigDecimal;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

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
    Posting posting = parseIfAny(text);
    if (posting == null) {
      throw new IllegalArgumentException("no posting: " + text);
    }
    return posting;
  }

  /** Reads a record's value; null if it is no posting. */
  static @Nullable Posting parseIfAny(String text) {
    int first = text.indexOf(BAR);
    int second = text.indexOf(BAR, first + 1);
    int third = text.indexOf(BAR, second + 1);
    if (first < 0 || second < 0 || third < 0 || text.indexOf(BAR, third + 1) >= 0) {
      return null;
    }
    BigDecimal amount = Content.amount(text.substring(second + 1, third));
    if (amount == null) {
      return null;
    }
    try {
      return new Posting(
          text.substring(0, first),
          Key.parse(text.substring(first + 1, second)),
          amount,
          text.substring(third + 1));
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }
}
