package io.fencepost.wiregen;

/** Java text under construction: knows nothing but indentation. */
final class Source {
  private final StringBuilder text = new StringBuilder();
  private int depth;

  /** A line; one that ends with an opening brace indents what follows. */
  Source line(String line) {
    if (line.startsWith("}")) {
      depth--;
    }
    if (!line.isEmpty()) {
      text.append("  ".repeat(depth)).append(line);
    }
    text.append('\n');
    if (line.endsWith("{")) {
      depth++;
    }
    return this;
  }

  Source blank() {
    return line("");
  }

  /** Opens a block under a condition; none is opened for a condition that always holds. */
  boolean open(String condition) {
    if (condition.equals("true")) {
      return false;
    }
    line("if (" + condition + ") {");
    return true;
  }

  void close(boolean opened) {
    if (opened) {
      line("}");
    }
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
