package io.fencepost.samples.cli.dump;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** Lines for people; coloured where the terminal takes it. */
final class TextSink implements Sink {
  private static final int SHOWN = 80;
  private static final String BOLD = "1";
  private static final String BOLD_RED = "1;31";

  private final PrintWriter out;
  private final Ansi colours;

  TextSink(PrintWriter out, Ansi colours) {
    this.out = out;
    this.colours = colours;
  }

  @Override
  public void file(String path) {
    out.println(coloured(path, BOLD));
  }

  @Override
  public void item(String kind, Map<String, Object> fields) {
    if (kind.equals("record") || kind.equals("marker")) {
      record(fields);
      return;
    }
    StringJoiner line = new StringJoiner(" ", "  " + kind + " ", "");
    fields.forEach((name, value) -> line.add(name + "=" + value));
    out.println(line);
  }

  private void record(Map<String, Object> fields) {
    String state = String.valueOf(fields.get("state"));
    StringBuilder line = new StringBuilder();
    line.append("%12d  %-9s  ".formatted(number(fields.get("offset")), state));
    line.append("%-22s  ".formatted(producer(fields)));
    line.append("%-18s  ".formatted(transaction(fields)));
    line.append(Instant.ofEpochMilli(number(fields.get("timestamp")))).append("  ");
    line.append(content(fields));
    String text = line.toString().stripTrailing();
    String style = style(state);
    out.println(style == null ? text : coloured(text, style));
  }

  private static String producer(Map<String, Object> fields) {
    if (!fields.containsKey("producerId")) {
      return "-";
    }
    Object sequence = fields.get("sequence");
    return "producer %s/%s%s"
        .formatted(
            fields.get("producerId"),
            fields.get("producerEpoch"),
            sequence == null ? "" : ":" + sequence);
  }

  private static String transaction(Map<String, Object> fields) {
    if (!fields.containsKey("transactionFirstOffset")) {
      return "-";
    }
    Object marker = fields.get("transactionMarkerOffset");
    return "txn %s..%s"
        .formatted(fields.get("transactionFirstOffset"), marker == null ? "" : marker);
  }

  private static String content(Map<String, Object> fields) {
    if (fields.containsKey("marker")) {
      return fields.get("marker") + " by coordinator epoch " + fields.get("coordinatorEpoch");
    }
    if (fields.containsKey("decoded")) {
      return String.valueOf(fields.get("decoded"));
    }
    String text = shown(fields.get("key")) + " = " + shown(fields.get("value"));
    Object headers = fields.get("headers");
    return headers == null ? text : text + "  headers " + headers;
  }

  private static String shown(@Nullable Object content) {
    String text = content == null ? "null" : String.valueOf(content);
    return text.length() <= SHOWN
        ? text
        : text.substring(0, SHOWN) + "... (" + text.length() + " characters)";
  }

  private static @Nullable String style(String state) {
    return switch (state) {
      case "committed" -> "32";
      case "aborted" -> "31";
      case "open" -> "33";
      case "control" -> "36";
      default -> null;
    };
  }

  private static long number(@Nullable Object value) {
    return ((Number) Objects.requireNonNull(value)).longValue();
  }

  @Override
  public void damage(String path, long position, String sentence) {
    String where = position < 0 ? "" : " at byte " + position;
    String text = "  DAMAGE in " + path + where + ": " + sentence;
    out.println(coloured(text, BOLD_RED));
  }

  /** Not by picocli's markup, which the text itself may hold. */
  private String coloured(String text, String code) {
    return colours.enabled() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
