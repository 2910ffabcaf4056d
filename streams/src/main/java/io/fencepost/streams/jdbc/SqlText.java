package io.fencepost.streams.jdbc;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the statements of a text that end the transaction they are in. */
final class SqlText {
  private static final Set<String> ENDS = Set.of("COMMIT", "END", "ABORT", "ROLLBACK");

  /** What begins a transaction ends the one before it, in some databases without a word. */
  private static final Set<String> LONGER_ENDS =
      Set.of("START TRANSACTION", "PREPARE TRANSACTION", "SET AUTOCOMMIT");

  /** Code of the database, whose own END ends no transaction. */
  private static final Set<String> BLOCKS = Set.of("BEGIN", "DECLARE", "CREATE");

  private final String text;
  private int at;

  private SqlText(String text) {
    this.text = text;
  }

  /**
   * The first such statement's beginning, in upper case; null if there is none. Words in strings,
   * names in quotes, comments and code of the database count for nothing.
   */
  static @Nullable String endOfTransaction(String sql) {
    SqlText rest = new SqlText(sql);
    while (rest.at < sql.length()) {
      String first = rest.word();
      String both = first + " " + rest.word();
      if (BLOCKS.contains(first) && !rest.beginsTransaction(both)) {
        return null;
      }
      if (ENDS.contains(first) && !both.equals("ROLLBACK TO")) {
        return first;
      }
      if (LONGER_ENDS.contains(both) || rest.beginsTransaction(both)) {
        return both;
      }
      rest.toNextStatement();
    }
    return null;
  }

  /** Whether it is the BEGIN of a transaction, and not that of a block. */
  private boolean beginsTransaction(String words) {
    return words.equals("BEGIN WORK")
        || words.equals("BEGIN TRANSACTION")
        || (words.equals("BEGIN ") && (at == text.length() || text.charAt(at) == ';'));
  }

  /** Reads the next word; empty if something else comes next. */
  private String word() {
    while (at < text.length() && (Character.isWhitespace(text.charAt(at)) || isComment())) {
      at = isComment() ? endOfComment() : at + 1;
    }
    int start = at;
    while (at < text.length() && Character.isLetter(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at).toUpperCase(Locale.ROOT);
  }

  private void toNextStatement() {
    while (at < text.length() && text.charAt(at) != ';') {
      if (isComment()) {
        at = endOfComment();
      } else {
        at = endOfQuoted();
      }
    }
    at++;
  }

  private boolean isComment() {
    return text.startsWith("--", at) || text.startsWith("/*", at);
  }

  private int endOfComment() {
    return text.startsWith("--", at) ? after("\n", at + 2) : after("*/", at + 2);
  }

  /** Behind what is quoted here, as {@code '...'} or {@code $body$...$body$}; else one further. */
  private int endOfQuoted() {
    char quote = text.charAt(at);
    if (quote == '\'' || quote == '"' || quote == '`') {
      return after(String.valueOf(quote), at + 1);
    }
    int close = quote == '$' ? text.indexOf('$', at + 1) : -1;
    boolean isTag =
        close > 0 && text.substring(at + 1, close).chars().allMatch(Character::isLetter);
    return isTag ? after(text.substring(at, close + 1), close + 1) : at + 1;
  }

  private int after(String end, int from) {
    int found = text.indexOf(end, from);
    return found < 0 ? text.length() : found + end.length();
  }
}
