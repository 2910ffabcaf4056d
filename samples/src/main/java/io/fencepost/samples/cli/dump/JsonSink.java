package io.fencepost.samples.cli.dump;

import io.fencepost.samples.report.Json;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/** One JSON object a line. */
final class JsonSink implements Sink {
  private final PrintWriter out;
  private String file = "";

  JsonSink(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void file(String path) {
    file = path;
  }

  @Override
  public void item(String kind, Map<String, Object> fields) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("kind", kind);
    object.put("file", file);
    object.putAll(fields);
    out.println(Json.line(object));
  }

  @Override
  public void damage(String path, long position, String sentence) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("kind", "damage");
    object.put("file", path);
    object.put("position", position);
    object.put("sentence", sentence);
    out.println(Json.line(object));
  }
}
