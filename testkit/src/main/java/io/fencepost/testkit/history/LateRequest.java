package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Late;
import java.util.List;

/** C7: nothing that a session asks for after its successor is there is done. */
public final class LateRequest implements Check {
  @Override
  public String id() {
    return "C7";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Late.class);
  }

  @Override
  public String occasions() {
    return "requests of fenced sessions";
  }

  @Override
  public Verdict check(History history) {
    long occasions = 0;
    for (Late late : history.all(Late.class)) {
      occasions++;
      if (late.outcome() == Outcome.OK) {
        return Verdict.broken("a zombie was served", late);
      }
    }
    return Verdict.passed(occasions);
  }
}
