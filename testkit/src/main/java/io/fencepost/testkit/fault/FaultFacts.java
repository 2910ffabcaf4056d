package io.fencepost.testkit.fault;

import io.fencepost.broker.wire.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a call or step: who, about what. Immutable.
 *
 * @param broker the broker that is asked, or whose step it is; 0 if that is not known
 * @param partitions in the order of the call
 */
public record FaultFacts(
    @Nullable String clientId,
    @Nullable String transactionalId,
    @Nullable String group,
    int broker,
    List<TopicPartition> partitions) {
  /** Nothing is known. */
  public static final FaultFacts NONE = new FaultFacts(null, null, null, 0, List.of());

  private static final int PARTITIONS_SHOWN = 4;

  public FaultFacts {
    partitions = List.copyOf(partitions);
  }

  /** The same with a client's id. */
  public FaultFacts client(@Nullable String id) {
    return new FaultFacts(id, transactionalId, group, broker, partitions);
  }

  /** The same with a transactional id; an empty one is none. */
  public FaultFacts transaction(@Nullable String id) {
    return new FaultFacts(
        clientId, id == null || id.isEmpty() ? null : id, group, broker, partitions);
  }

  /** The same with a consumer group; an empty one is none. */
  public FaultFacts group(@Nullable String id) {
    return new FaultFacts(
        clientId, transactionalId, id == null || id.isEmpty() ? null : id, broker, partitions);
  }

  /** The same of this broker. */
  public FaultFacts broker(int id) {
    return new FaultFacts(clientId, transactionalId, group, id, partitions);
  }

  /** The same about one more partition. */
  public FaultFacts partition(String topic, int partition) {
    List<TopicPartition> more = new ArrayList<>(partitions);
    more.add(new TopicPartition(topic, partition));
    return partitions(more);
  }

  /** The same about these partitions. */
  public FaultFacts partitions(List<TopicPartition> about) {
    return new FaultFacts(clientId, transactionalId, group, broker, about);
  }

  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ");
    partitions.stream()
        .limit(PARTITIONS_SHOWN)
        .forEach(partition -> text.add(partition.toString()));
    if (partitions.size() > PARTITIONS_SHOWN) {
      text.add((partitions.size() - PARTITIONS_SHOWN) + " more partitions");
    }
    addIfKnown(text, "txn", transactionalId);
    addIfKnown(text, "group", group);
    addIfKnown(text, "client", clientId);
    if (broker > 0) {
      text.add("broker=" + broker);
    }
    return text.toString();
  }

  private static void addIfKnown(StringJoiner text, String name, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      text.add(name + "=" + PlanText.quoted(value));
    }
  }
}
