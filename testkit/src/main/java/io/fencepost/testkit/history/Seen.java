package io.fencepost.testkit.history;

import java.util.Map;
import java.util.TreeMap;

/**
 * What the deduplicating job remembers of one partition: the highest number of each writer. It
 * travels as the metadata of the committed offset, so that offset and memory are committed
 * together. Single-threaded.
 */
public final class Seen {
  private final TreeMap<String, Long> highest = new TreeMap<>();

  /** Reads what {@link #text} wrote. */
  public static Seen parse(String text) {
    Seen seen = new Seen();
    for (String part : text.split(",", -1)) {
      if (!part.isEmpty()) {
        Posting.Key key = Posting.Key.parse(part);
        seen.highest.put(key.writer(), key.number());
      }
    }
    return seen;
  }

  /** Remembers the key; false if it was there before. */
  public boolean add(Posting.Key key) {
    Long before = highest.get(key.writer());
    if (before != null && key.number() <= before) {
      return false;
    }
    highest.put(key.writer(), key.number());
    return true;
  }

  public String text() {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, Long> entry : highest.entrySet()) {
      text.append(text.isEmpty() ? "" : ",").append(entry.getKey()).append('.');
      text.append(entry.getValue().longValue());
    }
    return text.toString();
  }
}
