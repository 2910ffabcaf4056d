package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import java.util.ArrayList;
import java.util.List;

/** A cluster that was there before: only what goes to it is broken. */
final class OutsideStage implements Stage {
  private final String bootstrap;
  private final Subject subject;

  OutsideStage(String bootstrap, Subject subject) {
    this.bootstrap = bootstrap;
    this.subject = subject;
  }

  @Override
  public String bootstrap() {
    return bootstrap;
  }

  @Override
  public int replicas() {
    return -1;
  }

  @Override
  public void attach(Faults faults) {}

  @Override
  public void act(Fired fired) {
    throw new IllegalStateException("the brokers are not ours to break: " + fired);
  }

  @Override
  public void settle() {}

  /** Takes away what the run has made. */
  @Override
  public void close() {
    try (Topics topics = new Topics(bootstrap)) {
      List<String> own = new ArrayList<>(topics.existing());
      own.removeIf(name -> !belongs(name));
      topics.delete(own, subject.application());
    }
  }

  private boolean belongs(String topic) {
    return subject.inputs().contains(topic)
        || subject.outputs().contains(topic)
        || topic.startsWith(subject.application() + "-");
  }
}
