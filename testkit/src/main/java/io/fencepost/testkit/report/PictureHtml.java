package io.fencepost.testkit.report;

import io.fencepost.testkit.history.Transactions;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A picture as a table for each partition: a column for each offset, a row for each reader. */
final class PictureHtml {
  private final Html html;
  private final Picture picture;

  private PictureHtml(Html html, Picture picture) {
    this.html = html;
    this.picture = picture;
  }

  static void write(Html html, Picture picture) {
    new PictureHtml(html, picture).write();
  }

  private void write() {
    html.open("div", "class", "picture");
    legend();
    html.open("div", "class", "strips");
    picture.strips().forEach(this::strip);
    html.close("div");
    html.close("div");
  }

  private void legend() {
    if (picture.transactions().isEmpty()) {
      return;
    }
    html.open("ul", "class", "legend", "aria-label", "Transactions");
    for (int i = 0; i < picture.transactions().size(); i++) {
      Picture.Actor actor = picture.transactions().get(i);
      html.open("li").element("span", letter(i), "class", "letter t" + i);
      String name = actor.name();
      html.element("span", Transactions.isPlain(name) ? Timeline.PLAIN + ": " + plain(name) : name);
      html.element("small", fate(actor.fate()));
      if (!actor.lost().isEmpty()) {
        html.element("small", "not acknowledged: " + String.join(", ", actor.lost()));
      }
      html.close("li");
    }
    html.close("ul");
  }

  private static String plain(String transaction) {
    return transaction.substring(transaction.indexOf(':') + 1);
  }

  private static String fate(Transactions.@Nullable Fate fate) {
    if (fate == Transactions.Fate.UNKNOWN) {
      return "nobody knows its end";
    }
    return fate == null ? "" : fate.name().toLowerCase(Locale.ROOT);
  }

  private static String letter(int i) {
    return String.valueOf((char) ('A' + i));
  }

  private void strip(Picture.Strip strip) {
    String name = strip.partition().toString();
    html.open("div", "class", "strip-box").element("p", name, "class", "strip-name");
    html.open("div", "class", "scroller", "tabindex", "0", "role", "region", "aria-label", name);
    html.open("table", "class", "strip", "aria-label", name);
    html.open("thead").open("tr").element("th", "offset", "scope", "col");
    long before = -1;
    for (Picture.Cell cell : strip.cells()) {
      boolean isGap = before >= 0 && cell.offset() > before + 1;
      html.element(
          "th", "%d".formatted(cell.offset()), "scope", "col", "class", isGap ? "gap" : "");
      before = cell.offset();
    }
    html.close("tr").close("thead").open("tbody");
    html.open("tr").element("th", "log", "scope", "row");
    before = -1;
    for (Picture.Cell cell : strip.cells()) {
      cell(cell, before >= 0 && cell.offset() > before + 1);
      before = cell.offset();
    }
    html.close("tr");
    strip.readers().forEach(reader -> reader(reader, strip.cells()));
    remarks(strip.cells());
    html.close("tbody").close("table").close("div").close("div");
  }

  private void cell(Picture.Cell cell, boolean isGap) {
    String kind = cell.transaction() >= 0 ? "t" + cell.transaction() : "other";
    if (cell.marker() != null) {
      kind = cell.marker() ? "marker commit" : "marker abort";
    } else if (cell.values().isEmpty() && cell.transaction() < 0) {
      kind = "void";
    }
    html.open(
        "td", "class", kind + (isGap ? " gap" : "") + (cell.remark().isEmpty() ? "" : " wrong"));
    html.open("div", "class", "cell");
    if (cell.transaction() >= 0) {
      html.element("span", letter(cell.transaction()), "class", "letter");
    }
    if (cell.marker() != null) {
      html.element("span", cell.marker() ? "commit" : "abort", "class", "value");
    } else if (cell.values().isEmpty()) {
      html.element("span", "·", "class", "value", "title", "nobody saw what stands here");
    }
    for (String value : cell.values()) {
      html.element("span", shortened(value), "class", "value", "title", value);
    }
    if (!cell.events().isEmpty()) {
      html.open("span", "class", "events");
      for (int event : cell.events()) {
        html.element("span", String.valueOf(event), "aria-label", "event " + event);
      }
      html.close("span");
    }
    html.close("div").close("td");
  }

  /** Without what stands in brackets behind it, which is seen by the colours. */
  private static String shortened(String value) {
    int max = 14;
    int bracket = value.endsWith(")") ? value.lastIndexOf(" (") : -1;
    String name = bracket > 0 ? value.substring(0, bracket) : value;
    return name.length() <= max
        ? name
        : name.substring(0, 6) + "…" + name.substring(name.length() - 6);
  }

  private void reader(Picture.ReaderRow reader, List<Picture.Cell> cells) {
    html.open("tr", "class", "reader").open("th", "scope", "row").text(reader.reader());
    html.element("small", reader.isolation()).close("th");
    for (int i = 0; i < reader.sights().size(); i++) {
      boolean hasRecord = !cells.get(i).values().isEmpty();
      switch (reader.sights().get(i)) {
        case HANDED -> html.element("td", "✓", "class", "handed", "title", "was handed it");
        case PASSED ->
            html.element(
                "td",
                hasRecord ? "✕" : "·",
                "class",
                hasRecord ? "passed" : "none",
                "title",
                "passed it and was handed nothing");
        case WITHHELD ->
            html.element("td", "–", "class", "none", "title", "aborted, and not handed out");
        case NONE -> html.element("td", "", "class", "none");
      }
    }
    html.close("tr");
  }

  private void remarks(List<Picture.Cell> cells) {
    if (cells.stream().allMatch(cell -> cell.remark().isEmpty())) {
      return;
    }
    html.open("tr", "class", "remarks").element("th", "", "scope", "row");
    cells.forEach(cell -> html.element("td", cell.remark()));
    html.close("tr");
  }
}
