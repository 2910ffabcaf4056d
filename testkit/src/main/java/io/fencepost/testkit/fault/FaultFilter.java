package io.fencepost.testkit.fault;

import io.fencepost.broker.config.NearestKey;
import io.fencepost.broker.wire.TopicPartition;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Which calls count; null lets all pass. Written {@code [payments-0, txn=ID, client=ID, group=ID,
 * topic=NAME]} with any of these; other than plain names stand in quotes.
 */
public record FaultFilter(
    @Nullable TopicPartition partition,
    @Nullable String topic,
    @Nullable String transactionalId,
    @Nullable String clientId,
    @Nullable String group) {
  /** Every call counts. */
  public static final FaultFilter ALL = new FaultFilter(null, null, null, null, null);

  private static final List<String> NAMES = List.of("topic", "txn", "client", "group");

  /** Whether a call with these facts counts. */
  public boolean matches(FaultFacts facts) {
    return (partition == null || facts.partitions().contains(partition))
        && (topic == null || facts.partitions().stream().anyMatch(it -> it.topic().equals(topic)))
        && (transactionalId == null || transactionalId.equals(facts.transactionalId()))
        && (clientId == null || clientId.equals(facts.clientId()))
        && (group == null || group.equals(facts.group()));
  }

  FaultFilter withPartition(TopicPartition only) {
    return new FaultFilter(only, topic, transactionalId, clientId, group);
  }

  FaultFilter withTopic(String only) {
    return new FaultFilter(partition, only, transactionalId, clientId, group);
  }

  FaultFilter withTransactionalId(String only) {
    return new FaultFilter(partition, topic, only, clientId, group);
  }

  FaultFilter withClientId(String only) {
    return new FaultFilter(partition, topic, transactionalId, only, group);
  }

  FaultFilter withGroup(String only) {
    return new FaultFilter(partition, topic, transactionalId, clientId, only);
  }

  /** Reads what stands between the brackets. */
  static FaultFilter parse(String text) {
    FaultFilter filter = ALL;
    int start = 0;
    while (start <= text.length()) {
      int comma = PlanText.indexOutside(text, ',', start, false);
      int end = comma < 0 ? text.length() : comma;
      filter = filter.and(text.substring(start, end).strip());
      start = end + 1;
    }
    return filter;
  }

  private FaultFilter and(String condition) {
    int equals = PlanText.indexOutside(condition, '=', 0, false);
    if (equals < 0) {
      return withPartition(partition(PlanText.unquoted(condition)));
    }
    String name = condition.substring(0, equals).strip();
    String value = PlanText.unquoted(condition.substring(equals + 1).strip());
    return switch (name) {
      case "topic" -> withTopic(value);
      case "txn" -> withTransactionalId(value);
      case "client" -> withClientId(value);
      case "group" -> withGroup(value);
      default ->
          throw new IllegalArgumentException(
              "[%s]: calls are told apart by TOPIC-PARTITION, topic=, txn=, client= and group=%s"
                  .formatted(condition, NearestKey.hint(name, NAMES)));
    };
  }

  /** Reads {@code payments-0}. */
  static TopicPartition partition(String text) {
    int line = text.lastIndexOf('-');
    String digits = text.substring(line + 1);
    if (line < 1 || !digits.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException(
          "'%s' is no partition like payments-0; [topic=%s] means all of a topic"
              .formatted(text, text));
    }
    return new TopicPartition(text.substring(0, line), Integer.parseInt(digits));
  }

  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", "[", "]").setEmptyValue("");
    if (partition != null) {
      text.add(PlanText.quoted(partition.toString()));
    }
    addIfAny(text, "topic", topic);
    addIfAny(text, "txn", transactionalId);
    addIfAny(text, "client", clientId);
    addIfAny(text, "group", group);
    return text.toString();
  }

  private static void addIfAny(StringJoiner text, String name, @Nullable String value) {
    if (value != null) {
      text.add(name + "=" + PlanText.quoted(value));
    }
  }
}
