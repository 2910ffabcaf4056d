package io.fencepost.streams;

import java.util.ArrayList;
import java.util.List;

/** The texts that a job prints about itself. */
final class JobText {
  private JobText() {}

  static String describe(Job job) {
    StringBuilder text = new StringBuilder("job ").append(job.name()).append('\n');
    for (PlanNode.Source source : job.sources()) {
      text.append("  read ").append(read(source)).append('\n');
      appendNext(text, source, "    ");
    }
    for (StoreSpec<?, ?> store : job.stores()) {
      text.append("  store ").append(store.name()).append(" (");
      text.append(store.isPersistent() ? "persistent" : "in memory");
      if (store.retention() != null) {
        text.append(", keeps ").append(store.retention());
      }
      text.append(", changelog APPLICATION_ID-").append(store.name()).append("-changelog)\n");
    }
    String dead = job.deadLetterTopic();
    text.append("  dead letters ")
        .append(dead == null ? "stop the job" : "to " + dead)
        .append('\n');
    return text.toString();
  }

  private static void appendNext(StringBuilder text, PlanNode node, String indent) {
    for (int output = 0; output < node.outputCount(); output++) {
      List<PlanNode> next = node.next(output);
      String deeper = indent;
      if (!node.outputName(output).isEmpty() && !next.isEmpty()) {
        text.append(indent).append(node.outputName(output)).append(":\n");
        deeper = indent + "  ";
      }
      boolean forks = next.size() > 1;
      for (PlanNode child : next) {
        text.append(deeper).append(forks ? "+ " : "").append(label(child)).append('\n');
        appendNext(text, child, forks ? deeper + "  " : deeper);
      }
    }
  }

  private static String label(PlanNode node) {
    if (node instanceof PlanNode.Sink sink) {
      return "write " + sink.topic();
    }
    if (node instanceof PlanNode.Repartition topic) {
      return "write " + topic.topic("APPLICATION_ID");
    }
    List<String> stores = node.stores().stream().<String>map(StoreSpec::name).toList();
    return stores.isEmpty()
        ? node.name()
        : node.name() + " [store " + String.join(", ", stores) + "]";
  }

  private static String read(PlanNode.Source source) {
    return source.pattern() == null
        ? String.join(", ", source.topics("APPLICATION_ID"))
        : "/" + source.pattern() + "/";
  }

  static String guarantee(Job job, JobConfig config) {
    return config.isExactlyOnce() ? exactlyOnce(job, config) : atLeastOnce(job, config);
  }

  private static String atLeastOnce(Job job, JobConfig config) {
    String app = config.applicationId(job);
    String dead = job.deadLetterTopic();
    return """
    Guarantee of job %s: at least once, for records inside this Kafka cluster.
      unit       one cycle (at most %d ms or %d input records): output to %s is acknowledged first,
                 then the changes of state, then the input offsets of group %s. After a failure a cycle
                 is done again: its output then stands twice, and state has seen its input twice.
      isolation  input and changelogs are read read_committed.
      acks       acks=all, idempotent producer. How much a broker that acknowledged may lose is the
                 topics' setting (replication.factor, min.insync.replicas, flush).
      fencing    the consumer group's generation only: a zombie's output stays until it is thrown out.
      poison     input that cannot be read or makes the code throw %s.
      not covered: e-mail, HTTP calls, databases, files and whatever else the code touches outside of
                 these topics.
    """
        .formatted(
            job.name(),
            config.commitIntervalMs(),
            config.commitMaxRecords(),
            sinks(job),
            app,
            dead == null ? "stops the job" : "goes to " + dead);
  }

  private static String sinks(Job job) {
    return job.sinkTopics().isEmpty() ? "(no topic)" : String.join(", ", job.sinkTopics());
  }

  private static String exactlyOnce(Job job, JobConfig config) {
    String app = config.applicationId(job);
    String dead = job.deadLetterTopic();
    return """
    Guarantee of job %s: exactly once, for records inside this Kafka cluster.
      unit       one transaction per cycle (at most %d ms or %d input records): input offsets of group %s,
                 output to %s, state changelogs and dead letters become visible together or not at all.
      isolation  input and changelogs are read read_committed; readers of the output must do the same,
                 a read_uncommitted reader also sees what was aborted.
      acks       acks=all, idempotent producer. How much a broker that acknowledged may lose is the
                 topics' setting (replication.factor, min.insync.replicas, flush).
      retries    the client retries sends; an aborted or fenced transaction is rewound to the committed
                 offsets and done again, for task.timeout.ms=%d before the job stops with its reason.
      fencing    transactional.id %s-INSTANCE-WORKER, and the consumer group's generation.
      poison     input that cannot be read or makes the code throw %s.
      not covered: e-mail, HTTP calls, databases, files and whatever else the code touches outside of
                 these topics: that may happen again after an abort. Input that its producer published
                 twice under two keys or without an idempotent producer is two inputs.
    %s\
    """
        .formatted(
            job.name(),
            config.commitIntervalMs(),
            config.commitMaxRecords(),
            app,
            sinks(job),
            config.taskTimeoutMs(),
            app,
            dead == null ? "stops the job" : "goes to " + dead + " in the same transaction",
            effects(job));
  }

  private static String effects(Job job) {
    List<String> names = new ArrayList<>();
    for (PlanNode node : job.nodes()) {
      if (node instanceof PlanNode.Outside) {
        names.add(node.name());
      }
    }
    if (names.isEmpty()) {
      return "";
    }
    return """
      effects    %s: run before the commit, at least once for each committed input. Not covered, unless
                 the receiver drops an effect key that it has seen: a repetition has the same key.
    """
        .formatted(String.join(", ", names));
  }
}
