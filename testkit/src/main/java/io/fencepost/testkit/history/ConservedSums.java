package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Read;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;

/** P5: money is conserved, to the last digit: in = accepted + duplicates. */
public final class ConservedSums implements Check {
  @Override
  public String id() {
    return "P5";
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
    BigDecimal in = BigDecimal.ZERO;
    long count = 0;
    for (var log : pipeline.input().values()) {
      in = in.add(sum(log.values()));
      count += log.size();
    }
    BigDecimal accepted = sum(pipeline.output(Pipeline.ACCEPTED));
    BigDecimal duplicates = sum(pipeline.output(Pipeline.DUPLICATES));
    if (in.compareTo(accepted.add(duplicates)) == 0) {
      return Verdict.passed(count);
    }
    Verdict mismatch = pipeline.mismatch();
    return mismatch == null ? changed(pipeline) : mismatch;
  }

  /** Each payment has one output, so one of them has another amount. */
  private static Verdict changed(Pipeline pipeline) {
    for (var log : pipeline.input().values()) {
      for (Pipeline.Entry entry : log.values()) {
        for (Pipeline.Entry made : pipeline.madeOf(entry)) {
          if (made.posting().amount().compareTo(entry.posting().amount()) != 0) {
            return Verdict.broken("the amount changed", entry.read(), made.read());
          }
        }
      }
    }
    throw new IllegalStateException("sums differ, and no amount does");
  }

  private static BigDecimal sum(Collection<Pipeline.Entry> entries) {
    return entries.stream()
        .map(entry -> entry.posting().amount())
        .reduce(BigDecimal.ZERO, BigDecimal::add);
  }
}
