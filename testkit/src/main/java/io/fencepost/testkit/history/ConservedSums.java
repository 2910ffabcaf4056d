package io.fencepost.testkit.history;

import java.math.BigDecimal;
import java.util.Collection;

/** P5: money is conserved, to the last digit: in = accepted + duplicates. */
public final class ConservedSums implements Check {
  @Override
  public String id() {
    return "P5";
  }

  @Override
  public Verdict check(History history) {
    Pipeline pipeline = Pipeline.of(history);
    BigDecimal in = BigDecimal.ZERO;
    long count = 0;
    for (var log : pipeline.input().values()) {
      in = in.add(sum(log.values()));
      count += log.size();
    }
    BigDecimal accepted = sum(pipeline.output(Pipeline.ACCEPTED));
    BigDecimal duplicates = sum(pipeline.output(Pipeline.DUPLICATES));
    return in.compareTo(accepted.add(duplicates)) == 0
        ? Verdict.passed(count)
        : new Verdict.Fail("in %s, accepted %s, duplicates %s".formatted(in, accepted, duplicates));
  }

  private static BigDecimal sum(Collection<Posting> postings) {
    return postings.stream().map(Posting::amount).reduce(BigDecimal.ZERO, BigDecimal::add);
  }
}
