package io.fencepost.testkit.prove.main;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.streams.store.StoreFailure;
import io.fencepost.streams.task.JobSteps;
import io.fencepost.testkit.fault.FaultFacts;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.errors.TimeoutException;

/** The steps of jobs as fault plans have them. */
public final class JobPoints {
  private JobPoints() {}

  /** The name of a step in fault plans. */
  public static String name(JobSteps.Step step) {
    return step.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** What a step throws that is planned to fail: where it can be tried again, such an error. */
  public static RuntimeException failure(JobSteps.Step step) {
    String told = "planned: " + name(step) + " failed";
    boolean isStore = step == JobSteps.Step.BEFORE_APPLY || step == JobSteps.Step.AFTER_APPLY;
    return isStore ? new StoreFailure(told, null) : new TimeoutException(told);
  }

  /**
   * What is known of a step.
   *
   * @param worker its transactional id
   * @param topic that it is about; empty if it is about none
   * @param partition below 0 if it is about the whole topic
   */
  public static FaultFacts facts(String application, String worker, String topic, int partition) {
    FaultFacts facts = FaultFacts.NONE.transaction(worker).group(application);
    return topic.isEmpty()
        ? facts
        : facts.partitions(List.of(new TopicPartition(topic, Math.max(0, partition))));
  }
}
