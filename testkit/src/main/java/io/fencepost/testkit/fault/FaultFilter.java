package io.fencepost.testkit.fault;

import io.fencepost.broker.config.NearestKey;
import io.fencepost.broker.wire.TopicPartition;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Which calls count; null lets all pass. Written {@code [payments-0, txn=ID, client=ID, group=ID,
 * topic=NAME, broker=NUMBER]} with any of these; other than plain names stand in quotes.
 *
 * @param broker that is asked; 0 lets all pass
 */
public record FaultFilter(
    @Nullable TopicPartition partition,
    @Nullable String topic,
    @Nullable String transactionalId,
    @Nullable String clientId,
    @Nullable String group,
    int broker) {
  /** Every call counts. */
  public static final FaultFilter ALL = new FaultFilter(null, null, null, null, null, 0);

  private static final List<String> NAMES = List.of("topic", "txn", "client", "group", "broker");

  /** Whether a call with these facts counts. */
  public boolean matches(FaultFacts facts) {
    return (partition == null || facts.partitions().contains(partition))
        && (topic == null || facts.partitions().stream().anyMatch(it -> it.topic().equals(topic)))
        && (transactionalId == null || transactionalId.equals(facts.transactionalId()))
        && (clientId == null || clientId.equals(facts.clientId()))
        && (group == null || group.equals(facts.group()))
        && (broker == 0 || broker == facts.broker());
  }

  FaultFilter withPartition(TopicPartition only) {
    return new FaultFilter(only, topic, transactionalId, clientId, group, broker);
  }

  FaultFilter withTopic(String only) {
    return new FaultFilter(partition, only, transactionalId, clientId, group, broker);
  }

  FaultFilter withTransactionalId(String only) {
    return new FaultFilter(partition, topic, only, clientId, group, broker);
  }

  FaultFilter withClientId(String only) {
    return new FaultFilter(partition, topic, transactionalId, only, group, broker);
  }

  FaultFilter withGroup(String only) {
    return new FaultFilter(partition, topic, transactionalId, clientId, only, broker);
  }

  FaultFilter withBroker(int only) {
    return new FaultFilter(partition, topic, transactionalId, clientId, group, only);
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
      case "broker" -> withBroker(number(value));
      default ->
          throw new IllegalArgumentException(
              "[%s]: calls are told apart by TOPIC-PARTITION, topic=, txn=, client=, group= and broker=%s"
                  .formatted(condition, NearestKey.hint(name, NAMES)));
    };
  }

  private static int number(String text) {
    if (!text.matches("[1-9][0-9]{0,8}")) {
      throw new IllegalArgumentException(
          "[broker=%s]: brokers have numbers from 1".formatted(text));
    }
    return Integer.parseInt(text);
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
    if (broker > 0) {
      text.add("broker=" + broker);
    }
    return text.toString();
  }

  private static void addIfAny(StringJoiner text, String name, @Nullable String value) {
    if (value != null) {
      text.add(name + "=" + PlanText.quoted(value));
    }
  }
}
