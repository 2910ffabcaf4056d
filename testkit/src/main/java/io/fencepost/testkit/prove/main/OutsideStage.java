package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import java.util.List;
import java.util.function.Consumer;

/** A cluster that was there before: only what goes to it is broken. */
final class OutsideStage implements Stage {
  private final String bootstrap;
  private final Subject subject;

  private OutsideStage(String bootstrap, Subject subject) {
    this.bootstrap = bootstrap;
    this.subject = subject;
  }

  /**
   * The stage of all runs of a proof; looked at once, as a deleted topic may be listed for a while.
   *
   * @throws IllegalStateException if topics of the job are there: they would not be the proof's to
   *     fill and to delete
   */
  static OutsideStage on(String bootstrap, Subject subject) {
    OutsideStage stage = new OutsideStage(bootstrap, subject);
    List<String> taken = stage.belonging();
    if (!taken.isEmpty()) {
      throw new IllegalStateException(
          "topics "
              + taken
              + " are on "
              + bootstrap
              + " already; a proof makes and deletes topics of these names, so use a cluster"
              + " without them");
    }
    return stage;
  }

  private List<String> belonging() {
    try (Topics topics = new Topics(bootstrap)) {
      return topics.existing().stream().filter(this::belongs).sorted().toList();
    }
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
  public void attach(Faults faults, Consumer<Fired> jobs) {}

  @Override
  public void act(Fired fired) {
    throw new IllegalStateException("the brokers are not ours to break: " + fired);
  }

  @Override
  public List<String> troubles() {
    return List.of();
  }

  @Override
  public void settle() {}

  /** Takes away what a run has made. */
  @Override
  public void close() {
    List<String> own = belonging();
    try (Topics topics = new Topics(bootstrap)) {
      topics.delete(own, subject.application());
    }
  }

  private boolean belongs(String topic) {
    return subject.inputs().contains(topic)
        || subject.outputs().contains(topic)
        || topic.startsWith(subject.application() + "-");
  }
}
