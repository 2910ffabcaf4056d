package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Read;
import java.util.List;
import java.util.TreeMap;

/** P1: the committed output is what the job makes of the committed input, as multisets. */
public final class OutputOfInput implements Check {
  @Override
  public String id() {
    return "P1";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Read.class, OffsetSeen.class);
  }

  @Override
  public String occasions() {
    return "payments below the committed offset";
  }

  @Override
  public Verdict check(History history) {
    Pipeline pipeline = Pipeline.of(history);
    if (pipeline.stranger() != null) {
      return pipeline.noPosting();
    }
    Verdict mismatch = pipeline.mismatch();
    if (mismatch != null) {
      return mismatch;
    }
    long occasions = 0;
    for (var log : pipeline.input().values()) {
      TreeMap<String, Pipeline.Entry> highest = new TreeMap<>();
      for (Pipeline.Entry entry : log.values()) {
        occasions++;
        Posting.Key key = entry.posting().key();
        Pipeline.Entry before = highest.get(key.writer());
        boolean isNew = before == null || key.number() > before.posting().key().number();
        for (Pipeline.Entry made : pipeline.madeOf(entry)) {
          if (!made.isCopyOf(entry, isNew ? Pipeline.ACCEPTED : Pipeline.DUPLICATES)) {
            return isNew || before == null
                ? Verdict.missing("this is not what is made of it", entry.read(), made.read())
                : Verdict.broken(
                    "this is not what is made of it after the first",
                    before.read(),
                    entry.read(),
                    made.read());
          }
        }
        if (isNew) {
          highest.put(key.writer(), entry);
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
