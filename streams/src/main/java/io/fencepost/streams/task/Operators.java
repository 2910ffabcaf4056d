package io.fencepost.streams.task;

import io.fencepost.streams.PlanNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes the running operators of one task, each once however many flows lead to it. */
final class Operators {
  private final TaskContext context;
  private final Lanes lanes;
  private final Map<PlanNode, Operator> made = new LinkedHashMap<>();
  private final Deque<ProcessingOperator> scheduled = new ArrayDeque<>();

  Operators(TaskContext context, Lanes lanes) {
    this.context = context;
    this.lanes = lanes;
  }

  /**
   * Those whose work falls due with time, each before those that follow it: what one puts out may
   * make work of the next fall due.
   */
  List<ProcessingOperator> scheduled() {
    return List.copyOf(scheduled);
  }

  /** What follows a source. */
  Operator.Fan after(PlanNode.Source source) {
    return fans(source).get(0);
  }

  private List<Operator.Fan> fans(PlanNode node) {
    List<Operator.Fan> fans = new ArrayList<>();
    boolean isAhead = looksAhead(node);
    for (int output = 0; output < node.outputCount(); output++) {
      List<Operator> next = new ArrayList<>();
      for (PlanNode child : node.next(output)) {
        boolean waits = isAhead && !(child instanceof PlanNode.Parallel) && !looksAhead(child);
        next.add(waits ? new ParallelOperator.Later(of(child), context) : of(child));
      }
      fans.add(new Operator.Fan(next));
    }
    return fans;
  }

  /** Whether a call in parallel follows, so that its input is looked at ahead. */
  static boolean looksAhead(PlanNode node) {
    for (int output = 0; output < node.outputCount(); output++) {
      for (PlanNode next : node.next(output)) {
        if (next instanceof PlanNode.Parallel || looksAhead(next)) {
          return true;
        }
      }
    }
    return false;
  }

  private Operator of(PlanNode node) {
    Operator operator = made.get(node);
    if (operator == null) {
      operator = make(node, fans(node));
      made.put(node, operator);
    }
    return operator;
  }

  private Operator make(PlanNode node, List<Operator.Fan> fans) {
    TaskPlan plan = context.plan();
    if (node instanceof PlanNode.Transform transform) {
      return new Operator.Transform(transform, fans.get(0));
    }
    if (node instanceof PlanNode.Parallel parallel) {
      return new ParallelOperator(parallel, context, lanes, fans.get(0));
    }
    if (node instanceof PlanNode.Deduplicate deduplicate) {
      int table = plan.table(deduplicate.store());
      long retentionMs = plan.retentionMs(table);
      return new Operator.Deduplicate(context, table, retentionMs, fans.get(0), fans.get(1));
    }
    if (node instanceof PlanNode.Processing processing) {
      ProcessingOperator operator = new ProcessingOperator(processing, context, fans);
      if (operator.isScheduled()) {
        scheduled.addFirst(operator);
      }
      return operator;
    }
    if (node instanceof PlanNode.Outside outside) {
      return new Operator.Outside(outside, context, fans.get(0));
    }
    if (node instanceof PlanNode.Sink sink) {
      return new Operator.Sink(sink.topic(), sink.keySerde(), sink.valueSerde(), context);
    }
    if (node instanceof PlanNode.Repartition topic) {
      String name = topic.topic(plan.applicationId());
      return new Operator.Sink(name, topic.keySerde(), topic.valueSerde(), context);
    }
    throw new IllegalStateException("operator " + node.name() + " cannot follow another one");
  }
}
