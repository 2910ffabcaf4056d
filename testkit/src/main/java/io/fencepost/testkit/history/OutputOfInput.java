package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** P1: the committed output is what the job makes of the committed input, as multisets. */
public final class OutputOfInput implements Check {
  @Override
  public String id() {
    return "P1";
  }

  @Override
  public Verdict check(History history) {
    Pipeline pipeline = Pipeline.of(history);
    TreeMap<String, Integer> owed = new TreeMap<>();
    long occasions = 0;
    for (Map.Entry<TopicPartition, TreeMap<Long, Posting>> log : pipeline.input().entrySet()) {
      Seen seen = new Seen();
      for (Map.Entry<Long, Posting> entry : log.getValue().entrySet()) {
        Posting posting = entry.getValue();
        String topic = seen.add(posting.key()) ? Pipeline.ACCEPTED : Pipeline.DUPLICATES;
        Posting copy = posting.copied("", log.getKey().partition(), entry.getKey());
        owed.merge(topic + copy.text(), 1, Integer::sum);
        occasions++;
      }
    }
    for (String topic : List.of(Pipeline.ACCEPTED, Pipeline.DUPLICATES)) {
      for (Posting posting : pipeline.output(topic)) {
        Posting nameless = new Posting("", posting.key(), posting.amount(), posting.origin());
        if (owed.merge(topic + nameless.text(), -1, Integer::sum) < 0) {
          return new Verdict.Fail("too many of " + posting + " in " + topic);
        }
      }
    }
    for (Map.Entry<String, Integer> left : owed.entrySet()) {
      if (left.getValue() > 0) {
        return new Verdict.Fail("missing in the output: " + left.getKey());
      }
    }
    return Verdict.passed(occasions);
  }
}
