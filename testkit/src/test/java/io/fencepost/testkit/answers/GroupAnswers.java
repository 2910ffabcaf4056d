package io.fencepost.testkit.answers;

import java.util.SortedMap;
import java.util.TreeMap;

/** All questions about groups, with the answers of Apache Kafka 4.4.0. */
abstract class GroupAnswers extends AbstractAnswers
    implements ConsumerGroupAnswers,
        GroupSettingAnswers,
        ClassicGroupAnswers,
        RebalanceAnswers,
        StaticMemberAnswers {
  /** Targets are made at once, so that each answer is certain. */
  static SortedMap<String, String> settings() {
    SortedMap<String, String> settings = new TreeMap<>();
    settings.put("group.consumer.assignment.interval.ms", "0");
    settings.put("group.min.session.timeout.ms", "100");
    settings.put("group.max.size", "3");
    settings.put("group.consumer.min.session.timeout.ms", "500");
    settings.put("group.consumer.min.heartbeat.interval.ms", "100");
    return settings;
  }
}
