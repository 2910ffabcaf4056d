package io.fencepost.testkit.report;

/** Writes HTML; every text and every attribute is escaped. Not thread-safe. */
final class Html {
  private final StringBuilder out = new StringBuilder(1 << 16);

  /**
   * Opens an element; names and values of attributes by turns, in which "" is one without value.
   */
  Html open(String tag, String... attributes) {
    out.append('<').append(tag);
    for (int i = 0; i < attributes.length; i += 2) {
      out.append(' ').append(attributes[i]);
      if (!attributes[i + 1].isEmpty()) {
        out.append("=\"");
        escape(attributes[i + 1]);
        out.append('"');
      }
    }
    out.append('>');
    return this;
  }

  Html close(String tag) {
    out.append("</").append(tag).append('>');
    return this;
  }

  Html text(String text) {
    escape(text);
    return this;
  }

  /** An element with nothing but text in it. */
  Html element(String tag, String text, String... attributes) {
    return open(tag, attributes).text(text).close(tag);
  }

  /** Something that is HTML, style or script already. */
  Html raw(String own) {
    out.append(own);
    return this;
  }

  private void escape(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> out.append("&amp;");
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '"' -> out.append("&quot;");
        case '\'' -> out.append("&#39;");
        default -> plain(text, i, c);
      }
    }
  }

  /** What cannot be seen, and what would turn the text around, is written out. */
  private void plain(String text, int i, char c) {
    boolean isControl = (c < ' ' && c != '\n' && c != '\t') || (c >= '\u007f' && c <= '\u009f');
    boolean isTurn = (c >= '\u2028' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069');
    if (isControl || isTurn || isHalf(text, i, c)) {
      out.append("\\u%04x".formatted((int) c));
    } else {
      out.append(c);
    }
  }

  private static boolean isHalf(String text, int i, char c) {
    if (Character.isHighSurrogate(c)) {
      return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
    }
    return Character.isLowSurrogate(c)
        && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
