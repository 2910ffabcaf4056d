package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.PlannedFault;
import io.fencepost.testkit.fault.main.BrokerFaults;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the brokers of a run, with the topics of a job. */
final class Stages {
  private final @Nullable OutsideStage outside;

  /**
   * Of what kind they are.
   *
   * @param bootstrap a cluster that is there already; null for brokers of our own
   */
  Stages(@Nullable String bootstrap, Subject subject) {
    this.outside = bootstrap == null ? null : OutsideStage.on(bootstrap, subject);
  }

  /** Whether brokers can be broken, or only what goes to them. */
  boolean breaksBrokers() {
    return outside == null;
  }

  /**
   * Before anything runs.
   *
   * @throws IllegalArgumentException saying what of the plan can't be done to these brokers
   */
  void requirePossible(FaultPlan plan) {
    for (PlannedFault fault : plan.faults()) {
      boolean isAct = BrokerFaults.does(fault.action().kind());
      if (outside != null && (isAct || fault.point().place() == FaultPoint.Place.BROKER)) {
        throw new IllegalArgumentException(
            "'%s' can only be done to brokers of the proof's own: leave --bootstrap out"
                .formatted(fault));
      }
      if (isAct && fault.action().number() > ClusterStage.BROKERS) {
        throw new IllegalArgumentException(
            "'%s' can't be done: there are %d brokers".formatted(fault, ClusterStage.BROKERS));
      }
    }
  }

  Stage open(boolean onCluster, Subject subject, Path directory) {
    Stage stage;
    if (outside != null) {
      stage = outside;
    } else {
      stage = onCluster ? ClusterStage.start(directory.resolve("brokers")) : ServerStage.start();
    }
    List<String> names = new ArrayList<>(subject.inputs());
    names.addAll(subject.outputs());
    try (Topics topics = new Topics(stage.bootstrap())) {
      topics.create(names, subject.partitions(), stage.replicas());
    } catch (RuntimeException e) {
      stage.close();
      throw e;
    }
    return stage;
  }
}
