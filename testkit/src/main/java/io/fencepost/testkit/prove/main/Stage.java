package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;

/** The brokers of one run. */
interface Stage extends AutoCloseable {
  /** Their address, past any proxy. */
  String bootstrap();

  int replicas();

  /** From now on their steps are passed to the plan. */
  void attach(Faults faults);

  /** Does an act of the plan to a broker; returns soon. */
  void act(Fired fired);

  /** Everything that was broken works again. */
  void settle();

  @Override
  void close();
}
