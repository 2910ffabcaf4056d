package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Flow;
import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Read;
import java.util.List;

/** P1: the committed output is what the job makes of the committed input, as multisets. */
public final class OutputOfInput implements Check {
  @Override
  public String id() {
    return "P1";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Flow.class, Read.class, OffsetSeen.class);
  }

  @Override
  public String occasions() {
    return "records of the input below its committed offset";
  }

  @Override
  public Verdict check(History history) {
    return history.lanes().check(OutputOfInput::check);
  }

  private static Verdict check(Lane lane) {
    Verdict misfit = lane.misfit();
    Verdict mismatch = lane.mismatch();
    if (misfit == null
        || (mismatch instanceof Verdict.Fail it && it.ground() == Verdict.Ground.SEEN)) {
      return mismatch == null ? Verdict.passed(lane.occasions()) : mismatch;
    }
    return misfit;
  }
}
