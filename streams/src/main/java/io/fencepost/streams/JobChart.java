package io.fencepost.streams;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A job as a Mermaid flowchart. Nodes are numbered in the order in which they are met. */
final class JobChart {
  private static final String APPLICATION = "APPLICATION_ID";

  private final Map<Object, String> ids = new LinkedHashMap<>();
  private final List<String> nodes = new ArrayList<>();
  private final List<String> edges = new ArrayList<>();

  private JobChart() {}

  /** One thing with a name: topics of the user's and of the job differ from stores. */
  private record Named(Shape shape, String name) {}

  private enum Shape {
    TOPIC("([", "])"),
    REPARTITION("{{", "}}"),
    STORE("[(", ")]"),
    OPERATOR("[", "]");

    private final String before;
    private final String after;

    Shape(String before, String after) {
      this.before = before;
      this.after = after;
    }
  }

  static String of(Job job) {
    JobChart chart = new JobChart();
    for (PlanNode.Source source : job.sources()) {
      for (String topic : chart.topics(source)) {
        chart.follow(source, topic);
        chart.deadLetters(topic, job.deadLetterTopic());
      }
    }
    StringBuilder text = new StringBuilder("flowchart LR\n");
    chart.nodes.forEach(node -> text.append("  ").append(node).append('\n'));
    chart.edges.forEach(edge -> text.append("  ").append(edge).append('\n'));
    return text.toString();
  }

  private List<String> topics(PlanNode.Source source) {
    PlanNode.Repartition origin = source.origin();
    if (origin != null) {
      return List.of(repartition(origin));
    }
    if (source.pattern() != null) {
      return List.of(id(Shape.TOPIC, "/" + source.pattern() + "/"));
    }
    return source.topics().stream().map(topic -> id(Shape.TOPIC, topic)).toList();
  }

  private String repartition(PlanNode.Repartition node) {
    return id(Shape.REPARTITION, node.topic(APPLICATION));
  }

  private void deadLetters(String topic, @Nullable String deadLetterTopic) {
    if (deadLetterTopic != null) {
      edges.add(topic + " -. fails .-> " + id(Shape.TOPIC, deadLetterTopic));
    }
  }

  /** All that comes behind a node, each node once. */
  private void follow(PlanNode node, String from) {
    for (int output = 0; output < node.outputCount(); output++) {
      String label = node.outputName(output);
      String arrow = label.isEmpty() ? " --> " : " -->|" + quoted(label) + "| ";
      for (PlanNode next : node.next(output)) {
        boolean isKnown = ids.containsKey(next);
        edges.add(from + arrow + target(next));
        if (!isKnown) {
          follow(next, target(next));
        }
      }
    }
  }

  private String target(PlanNode node) {
    if (node instanceof PlanNode.Sink sink) {
      return id(Shape.TOPIC, sink.topic());
    }
    if (node instanceof PlanNode.Repartition topic) {
      return repartition(topic);
    }
    boolean isNew = !ids.containsKey(node);
    String id = id(node, Shape.OPERATOR, node.name());
    if (isNew) {
      for (StoreSpec<?, ?> store : node.stores()) {
        edges.add(id + " --- " + id(Shape.STORE, store.name()));
      }
    }
    return id;
  }

  private String id(Shape shape, String name) {
    return id(new Named(shape, name), shape, name);
  }

  private String id(Object thing, Shape shape, String label) {
    String known = ids.get(thing);
    if (known != null) {
      return known;
    }
    String id = "n" + (ids.size() + 1);
    ids.put(thing, id);
    nodes.add(id + shape.before + quoted(label) + shape.after);
    return id;
  }

  /** Mermaid's entities for the two characters that end or bend a quoted label. */
  private static String quoted(String label) {
    return '"' + label.replace("#", "#35;").replace("\"", "#quot;") + '"';
  }
}
