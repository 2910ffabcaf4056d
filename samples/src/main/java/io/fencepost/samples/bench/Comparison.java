package io.fencepost.samples.bench;

import io.fencepost.samples.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * One table: a column of median and spread a broker, the reference last, and the ratio of the first
 * one's median to it.
 *
 * @param <T> what one measured pass gave
 */
final class Comparison<T> {
  private final Map<String, List<T>> results;
  private final Table table;

  Comparison(Map<String, List<T>> results) {
    this.results = results;
    List<String> headings = new ArrayList<>(List.of("figure, median (min to max)"));
    headings.addAll(results.keySet());
    headings.add("ratio to Kafka");
    this.table = new Table(headings.toArray(String[]::new));
  }

  Comparison<T> row(String figure, ToDoubleFunction<T> value) {
    List<Spread> spreads = spreads(value);
    double reference = spreads.get(spreads.size() - 1).median();
    add(figure, spreads, String.format(Locale.ROOT, "%.2f", spreads.get(0).median() / reference));
    return this;
  }

  /** Adds what is no figure of a broker, and has no ratio. */
  Comparison<T> around(Function<T, Around> around) {
    add("CPU that others took, %", spreads(it -> around.apply(it).othersPercent()), "");
    add("load of the machine", spreads(it -> around.apply(it).load()), "");
    return this;
  }

  Table table() {
    return table;
  }

  static String shown(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
  }

  static double mebibytes(long bytes) {
    return bytes / 1024.0 / 1024.0;
  }

  private List<Spread> spreads(ToDoubleFunction<T> value) {
    return results.values().stream().map(passes -> Spread.of(passes, value)).toList();
  }

  private void add(String figure, List<Spread> spreads, String ratio) {
    List<String> cells = new ArrayList<>(List.of(figure));
    for (Spread spread : spreads) {
      cells.add(
          "%s (%s to %s)"
              .formatted(shown(spread.median()), shown(spread.min()), shown(spread.max())));
    }
    cells.add(ratio);
    table.row(cells.toArray(String[]::new));
  }
}
