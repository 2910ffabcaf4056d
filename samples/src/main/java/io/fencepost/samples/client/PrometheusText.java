package io.fencepost.samples.client;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A registry in Prometheus' text format (version 0.0.4). Small, as Prometheus' own library would
 * cost several megabytes of a broker's memory.
 */
final class PrometheusText {
  private PrometheusText() {}

  /** The lines of one name belong together, under its type. */
  private record Family(String type, String help, List<String> lines) {}

  static String of(MeterRegistry registry) {
    TreeMap<String, Family> families = new TreeMap<>();
    registry.forEachMeter(meter -> add(meter, families));
    StringBuilder text = new StringBuilder();
    families.forEach(
        (name, family) -> {
          text.append("# HELP ").append(name).append(' ').append(family.help).append('\n');
          text.append("# TYPE ").append(name).append(' ').append(family.type).append('\n');
          family.lines.forEach(line -> text.append(line).append('\n'));
        });
    return text.toString();
  }

  private static void add(Meter meter, TreeMap<String, Family> families) {
    Meter.Id id = meter.getId();
    String name = name(id);
    meter.use(
        gauge -> line(families, id, name, "gauge", name, gauge.value()),
        counter -> line(families, id, name + "_total", "counter", name + "_total", counter.count()),
        timer -> timer(families, id, name + "_seconds", timer),
        summary -> {},
        task -> {},
        gauge -> {
          double seconds = gauge.value(TimeUnit.SECONDS);
          line(families, id, name + "_seconds", "gauge", name + "_seconds", seconds);
        },
        counter -> line(families, id, name + "_total", "counter", name + "_total", counter.count()),
        timer -> {},
        other -> {});
  }

  private static void timer(
      TreeMap<String, Family> families, Meter.Id id, String name, Timer timer) {
    line(families, id, name, "summary", name + "_count", (double) timer.count());
    line(families, id, name, "summary", name + "_sum", timer.totalTime(TimeUnit.SECONDS));
    line(families, id, name + "_max", "gauge", name + "_max", timer.max(TimeUnit.SECONDS));
  }

  private static void line(
      TreeMap<String, Family> families,
      Meter.Id id,
      String familyName,
      String type,
      String name,
      double value) {
    families
        .computeIfAbsent(
            familyName, absent -> new Family(type, help(id.getDescription()), new ArrayList<>()))
        .lines
        .add(name + labels(id) + " " + value);
  }

  private static String help(@Nullable String description) {
    return description == null ? "" : description;
  }

  private static String name(Meter.Id id) {
    return id.getName().replaceAll("[^a-zA-Z0-9_]", "_");
  }

  private static String labels(Meter.Id id) {
    List<String> labels = new ArrayList<>();
    for (Tag tag : id.getTagsAsIterable()) {
      String value =
          tag.getValue().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
      labels.add(tag.getKey().replaceAll("[^a-zA-Z0-9_]", "_") + "=\"" + value + "\"");
    }
    return labels.isEmpty() ? "" : "{" + String.join(",", labels) + "}";
  }
}
