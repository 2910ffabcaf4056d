package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import java.util.List;
import java.util.function.Consumer;

/** The brokers of one run. */
interface Stage extends AutoCloseable {
  /** Their address, past any proxy. */
  String bootstrap();

  int replicas();

  /**
   * From now on their steps are passed to the plan.
   *
   * @param jobs does what the plan does to jobs at a broker's step; called on the broker's thread
   */
  void attach(Faults faults, Consumer<Fired> jobs);

  /** Does an act of the plan to a broker; returns soon. */
  void act(Fired fired);

  /** What of the acts could not be done, in words. */
  List<String> troubles();

  /** Everything that was broken works again. */
  void settle();

  @Override
  void close();
}
