package io.fencepost.testkit.fault;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done about one call.
 *
 * @param change what happens to the call itself; null is nothing
 * @param acts what happens beside it, in the order of the plan, before the call goes on
 */
public record Decision(@Nullable Fired change, List<Fired> acts) {
  /** The call goes on as if there were no plan. */
  public static final Decision PASS = new Decision(null, List.of());

  public Decision {
    acts = List.copyOf(acts);
  }
}
