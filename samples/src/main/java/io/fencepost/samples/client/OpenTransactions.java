package io.fencepost.samples.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The transactions that are open in partitions, matched with those whom coordinators know. */
public final class OpenTransactions {
  private static final Comparator<TopicPartition> ORDER =
      Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

  private static final Logger LOG = LoggerFactory.getLogger(OpenTransactions.class);

  private final Administration cluster;

  /** Asks this cluster. */
  public OpenTransactions(Administration cluster) {
    this.cluster = cluster;
  }

  /**
   * A transaction in one partition.
   *
   * @param firstOffset where it begins here
   * @param lastTimestampMs of its newest batch here
   * @param transactionalId null if no coordinator knows the producer id
   * @param description null likewise
   */
  public record Open(
      TopicPartition partition,
      ProducerState producer,
      long firstOffset,
      long lastTimestampMs,
      @Nullable String transactionalId,
      @Nullable TransactionDescription description) {

    /** Whether its coordinator will still end it here. */
    public boolean hasOwner() {
      if (description == null || description.producerId() != producer.producerId()) {
        return false;
      }
      boolean isOngoing =
          description.state() == TransactionState.ONGOING
              || description.state() == TransactionState.PREPARE_COMMIT
              || description.state() == TransactionState.PREPARE_ABORT;
      return isOngoing && description.topicPartitions().contains(partition);
    }
  }

  /**
   * What readers of committed records cannot get past.
   *
   * @param lastStableOffset where they stop
   * @param highWatermark where all others stop
   */
  public record Blocked(long lastStableOffset, long highWatermark, Open blocker) {}

  /** All partitions, internal ones too, or those of a topic. */
  public SortedSet<TopicPartition> partitions(@Nullable String topic) {
    Collection<String> names =
        topic == null
            ? cluster.await(
                cluster.admin().listTopics(new ListTopicsOptions().listInternal(true)).names())
            : List.of(topic);
    TreeSet<TopicPartition> partitions = new TreeSet<>(ORDER);
    Map<String, TopicDescription> described =
        cluster.await(cluster.admin().describeTopics(names).allTopicNames());
    described.forEach(
        (name, description) ->
            description
                .partitions()
                .forEach(info -> partitions.add(new TopicPartition(name, info.partition()))));
    return partitions;
  }

  /** Those that hold readers back, by partition. */
  public SortedMap<TopicPartition, Blocked> blockers(SortedSet<TopicPartition> partitions) {
    SortedMap<TopicPartition, Long> stable = ends(partitions, IsolationLevel.READ_COMMITTED);
    SortedMap<TopicPartition, Long> ends = ends(partitions, IsolationLevel.READ_UNCOMMITTED);
    TreeSet<TopicPartition> held = new TreeSet<>(ORDER);
    stable.forEach(
        (partition, offset) -> {
          if (offset < ends.getOrDefault(partition, offset)) {
            held.add(partition);
          }
        });
    SortedMap<TopicPartition, Blocked> blockers = new TreeMap<>(ORDER);
    for (Open open : open(held)) {
      TopicPartition partition = open.partition();
      Blocked known = blockers.get(partition);
      Long stableOffset = stable.get(partition);
      Long end = ends.get(partition);
      boolean isFirst = known == null || open.firstOffset() < known.blocker().firstOffset();
      if (isFirst && stableOffset != null && end != null) {
        blockers.put(partition, new Blocked(stableOffset, end, open));
      }
    }
    return blockers;
  }

  private SortedMap<TopicPartition, Long> ends(
      SortedSet<TopicPartition> partitions, IsolationLevel isolation) {
    Map<TopicPartition, OffsetSpec> wanted = new TreeMap<>(ORDER);
    partitions.forEach(partition -> wanted.put(partition, OffsetSpec.latest()));
    SortedMap<TopicPartition, Long> ends = new TreeMap<>(ORDER);
    if (!wanted.isEmpty()) {
      Map<TopicPartition, ListOffsetsResultInfo> found =
          cluster.await(
              cluster.admin().listOffsets(wanted, new ListOffsetsOptions(isolation)).all());
      found.forEach((partition, info) -> ends.put(partition, info.offset()));
    }
    return ends;
  }

  /** The open transactions of these partitions, by partition and first offset. */
  public List<Open> open(SortedSet<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      return List.of();
    }
    Map<TopicPartition, List<ProducerState>> producers = new TreeMap<>(ORDER);
    cluster
        .await(cluster.admin().describeProducers(partitions).all())
        .forEach(
            (partition, states) ->
                producers.put(
                    partition,
                    states.activeProducers().stream()
                        .filter(state -> state.currentTransactionStartOffset().isPresent())
                        .toList()));
    SortedMap<Long, String> owners =
        owners(
            producers.values().stream()
                .flatMap(List::stream)
                .map(ProducerState::producerId)
                .collect(Collectors.toCollection(TreeSet::new)));
    SortedMap<String, TransactionDescription> described = describe(owners.values());
    List<Open> open = new ArrayList<>();
    producers.forEach(
        (partition, states) -> {
          for (ProducerState state : states) {
            String id = owners.get(state.producerId());
            open.add(
                new Open(
                    partition,
                    state,
                    state.currentTransactionStartOffset().getAsLong(),
                    state.lastTimestamp(),
                    id,
                    id == null ? null : described.get(id)));
          }
        });
    return open;
  }

  private SortedMap<Long, String> owners(SortedSet<Long> producerIds) {
    SortedMap<Long, String> owners = new TreeMap<>();
    if (!producerIds.isEmpty()) {
      Collection<TransactionListing> listed =
          cluster.await(
              cluster
                  .admin()
                  .listTransactions(new ListTransactionsOptions().filterProducerIds(producerIds))
                  .all());
      listed.forEach(listing -> owners.put(listing.producerId(), listing.transactionalId()));
    }
    return owners;
  }

  /** What coordinators know; an id that has vanished meanwhile is left out. */
  private SortedMap<String, TransactionDescription> describe(Collection<String> ids) {
    SortedMap<String, TransactionDescription> described = new TreeMap<>();
    if (ids.isEmpty()) {
      return described;
    }
    var answers = cluster.admin().describeTransactions(new TreeSet<>(ids));
    for (String id : new TreeSet<>(ids)) {
      try {
        described.put(id, cluster.attempt(answers.description(id)));
      } catch (KafkaException gone) {
        LOG.debug("{} is left out: {}", id, gone.getMessage());
      }
    }
    return described;
  }
}
