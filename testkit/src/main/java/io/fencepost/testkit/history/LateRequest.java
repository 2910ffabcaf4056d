package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Late;

/** C7: nothing that a session asks for after its successor is there is done. */
public final class LateRequest implements Check {
  @Override
  public String id() {
    return "C7";
  }

  @Override
  public Verdict check(History history) {
    long occasions = 0;
    for (Late late : history.all(Late.class)) {
      occasions++;
      if (late.outcome() == Outcome.OK) {
        return new Verdict.Fail("a zombie was served: " + late);
      }
    }
    return Verdict.passed(occasions);
  }
}
