package io.fencepost.testkit.fault;

import java.util.ArrayList;
import java.util.List;

/** One entry of a plan: at which point, for which calls, which of these, what. */
public record PlannedFault(
    FaultPoint point, FaultFilter filter, Timing timing, FaultAction action) {

  /** Only what may be done at that point. */
  public PlannedFault {
    if (!point.kinds().contains(action.kind())) {
      List<String> legal = new ArrayList<>();
      point.kinds().stream().filter(kind -> !kind.isAct()).forEach(kind -> legal.add(kind.label()));
      throw new IllegalArgumentException(
          "'%s' can't be done at %s, one of %s".formatted(action, point, point.place().label())
              + "; there it is "
              + String.join(", ", legal)
              + ", or an act like 'kill job@"
              + point
              + "'");
    }
    if (action.kind() == FaultKind.MOVE_LEADER && action.of() != null) {
      FaultFilter.partition(action.of());
    }
  }

  /** The point with its filter: calls are counted for each of these from 1. */
  public String where() {
    return point.name() + filter;
  }

  /** The entry as text, which parses back to it. */
  @Override
  public String toString() {
    return action.kind().isAct()
        ? action.head() + "@" + where() + timing + action.tail()
        : where() + timing + ":" + action;
  }
}
