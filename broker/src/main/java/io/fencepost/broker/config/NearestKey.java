package io.fencepost.broker.config;

import org.jspecify.annotations.Nullable;

/** Finds the known name that a misspelt one most likely means. */
public final class NearestKey {
  private NearestKey() {}

  /**
   * The candidate with the fewest edits (insert, delete, replace, swap neighbours), or null if none
   * is near: more than a third of the name would have to change.
   */
  public static @Nullable String of(String name, Iterable<String> candidates) {
    String best = null;
    int bestEdits = Math.max(2, name.length() / 3) + 1;
    for (String candidate : candidates) {
      if (Math.abs(candidate.length() - name.length()) < bestEdits) {
        int edits = edits(name, candidate);
        if (edits < bestEdits) {
          best = candidate;
          bestEdits = edits;
        }
      }
    }
    return best;
  }

  /** The question to put behind an error message, or nothing. */
  public static String hint(String name, Iterable<String> candidates) {
    String nearest = of(name, candidates);
    return nearest == null ? "" : "; did you mean " + nearest + "?";
  }

  private static int edits(String from, String to) {
    int[] beforeLast = new int[to.length() + 1];
    int[] last = new int[to.length() + 1];
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = last[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(last[j], row[j - 1]));
        if (i > 1 && j > 1 && isSwap(from, i, to, j)) {
          row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
        }
      }
      int[] free = beforeLast;
      beforeLast = last;
      last = row;
      row = free;
    }
    return last[to.length()];
  }

  private static boolean isSwap(String from, int i, String to, int j) {
    return from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1);
  }
}
