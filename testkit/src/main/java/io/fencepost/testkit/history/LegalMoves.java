package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.StateLogged;
import java.util.List;
import java.util.TreeMap;

/** C4: a transactional id moves only as its table of states says. */
public final class LegalMoves implements Check {
  @Override
  public String id() {
    return "C4";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(StateLogged.class);
  }

  @Override
  public String occasions() {
    return "entries of the transaction log";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, StateLogged> last = new TreeMap<>();
    long occasions = 0;
    for (StateLogged now : history.all(StateLogged.class)) {
      StateLogged before = last.put(now.transactionalId(), now);
      occasions++;
      if (!now.state().mayFollow(before == null ? null : before.state())) {
        return before == null
            ? Verdict.missing("a transactional id does not begin so", now)
            : Verdict.broken(
                "from %s it does not go to %s"
                    .formatted(before.state().label(), now.state().label()),
                before,
                now);
      }
    }
    return Verdict.passed(occasions);
  }
}
