package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Flow;
import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Read;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** P5: money is conserved, to the last digit, where each record of the input has one output. */
public final class ConservedSums implements Check {
  @Override
  public String id() {
    return "P5";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Flow.class, Read.class, OffsetSeen.class);
  }

  @Override
  public String occasions() {
    return "records of the input below its committed offset that say an amount";
  }

  @Override
  public Verdict check(History history) {
    return history.lanes().check(ConservedSums::check);
  }

  private static Verdict check(Lane lane) {
    Sum in = new Sum();
    lane.inputs().forEach(log -> log.committedRecords().forEach(in::add));
    Sum out = new Sum();
    lane.outputs().forEach(out::add);
    if (!lane.isWhole() || in.count + out.count == 0) {
      return Verdict.passed(0);
    }
    Read silent = in.silent == null ? out.silent : in.silent;
    if (silent != null) {
      return new Verdict.Unknown("a record says no amount, and others do", List.of(silent));
    }
    if (in.amount.compareTo(out.amount) == 0) {
      return Verdict.passed(in.count);
    }
    Verdict changed = changed(lane);
    Verdict verdict = changed == null ? lane.mismatch() : changed;
    if (verdict == null) {
      throw new IllegalStateException("sums differ, and no amount does");
    }
    return verdict;
  }

  private static @Nullable Verdict changed(Lane lane) {
    for (InputLog log : lane.inputs()) {
      for (int i = 0; i < log.size(); i++) {
        Read input = log.record(i);
        Read made = log.made(i);
        if (made != null && !Content.of(input).hasAmountOf(Content.of(made))) {
          return Verdict.broken("the amount changed", input, made);
        }
      }
    }
    return null;
  }

  private static final class Sum {
    private BigDecimal amount = BigDecimal.ZERO;
    private long count;
    private @Nullable Read silent;

    private void add(Read read) {
      String said = Content.of(read).amount();
      if (said.isEmpty()) {
        silent = silent == null ? read : silent;
      } else {
        amount = amount.add(new BigDecimal(said));
        count++;
      }
    }
  }
}
