package io.fencepost.streams.test;

import io.fencepost.streams.task.ChangelogReader;
import io.fencepost.streams.task.Gateway;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The clients of one worker of one process, on a {@link MemoryCluster}. */
public final class MemoryClient implements Gateway {
  private final MemoryCluster cluster;
  private final String transactionalId;
  private final Interference interference;
  private final Map<TopicPartition, Long> positions = new TreeMap<>(MemoryClient::compare);
  private final Set<TopicPartition> paused = new LinkedHashSet<>();
  private final Map<TopicPartition, Long> changePositions = new LinkedHashMap<>();
  private Collection<String> topics = List.of();
  private @Nullable Pattern pattern;
  private @Nullable Assignment assignment;
  private int epoch = -1;
  private long activity;
  private long delivered;

  public MemoryClient(MemoryCluster cluster, String transactionalId, Interference interference) {
    this.cluster = cluster;
    this.transactionalId = transactionalId;
    this.interference = interference;
  }

  private static int compare(TopicPartition a, TopicPartition b) {
    int byTopic = a.topic().compareTo(b.topic());
    return byTopic == 0 ? Integer.compare(a.partition(), b.partition()) : byTopic;
  }

  /** Counts what the worker did, but for looking in vain. */
  long activity() {
    return activity;
  }

  /** How many records of input and changelogs it was given. */
  long delivered() {
    return delivered;
  }

  /** Whether all that it has of the group is read, and no transaction is open. */
  boolean isAtRest() {
    return paused.isEmpty() && cluster.openTransaction(transactionalId) == null;
  }

  // ---- the consumer

  @Override
  public void subscribe(
      Collection<String> newTopics, @Nullable Pattern newPattern, Assignment listener) {
    activity++;
    topics = newTopics;
    pattern = newPattern;
    assignment = listener;
    cluster.join(this);
  }

  @Override
  public List<Batch> poll(long timeoutMs) {
    rebalance();
    interference.before(Interference.Call.POLL);
    List<Batch> batches = new ArrayList<>();
    for (Map.Entry<TopicPartition, Long> entry : positions.entrySet()) {
      TopicPartition partition = entry.getKey();
      if (paused.contains(partition)) {
        continue;
      }
      long from = Math.max(entry.getValue(), cluster.startOffset(partition));
      MemoryCluster.Read read =
          cluster.read(partition, from, interference.most(Interference.Call.POLL, partition));
      if (!read.records().isEmpty()) {
        batches.add(new Batch(partition, read.records()));
        delivered += read.records().size();
      }
      if (read.position() > entry.getValue()) {
        activity++;
        entry.setValue(read.position());
      }
    }
    interference.after(Interference.Call.POLL);
    if (batches.isEmpty()) {
      interference.waited(timeoutMs);
    }
    return batches;
  }

  private void rebalance() {
    Assignment listener = assignment;
    if (listener == null) {
      return;
    }
    if (!cluster.isMember(this)) {
      take(listener, new Interference.Taken(List.copyOf(positions.keySet()), true));
      return;
    }
    Interference.Taken taken = interference.taken(List.copyOf(positions.keySet()));
    take(listener, taken);
    List<TopicPartition> fresh = new ArrayList<>();
    for (TopicPartition partition : cluster.partitionsOf(subscribed())) {
      if (!positions.containsKey(partition) && !taken.partitions().contains(partition)) {
        fresh.add(partition);
        positions.put(partition, cluster.committedOffsets().getOrDefault(partition, 0L));
      }
    }
    if (!fresh.isEmpty()) {
      activity++;
      listener.assigned(fresh);
    }
  }

  private Collection<String> subscribed() {
    Pattern matching = pattern;
    return matching == null
        ? topics
        : cluster.topics().stream().filter(topic -> matching.matcher(topic).matches()).toList();
  }

  private void take(Assignment listener, Interference.Taken taken) {
    List<TopicPartition> gone = taken.partitions();
    if (gone.isEmpty()) {
      return;
    }
    activity++;
    if (taken.isLost()) {
      listener.lost(gone);
    } else {
      listener.revoked(gone);
    }
    gone.forEach(positions::remove);
    paused.removeAll(gone);
  }

  @Override
  public void pause(Collection<TopicPartition> partitions) {
    activity += paused.addAll(partitions) ? 1 : 0;
  }

  @Override
  public void resume(Collection<TopicPartition> partitions) {
    activity += paused.removeAll(partitions) ? 1 : 0;
  }

  @Override
  public long position(TopicPartition partition) {
    Long position = positions.get(partition);
    if (position == null) {
      throw new IllegalStateException("no position of " + partition + ", it is not assigned");
    }
    return position;
  }

  @Override
  public @Nullable Long firstPosition(TopicPartition partition) {
    return position(partition);
  }

  @Override
  public long lag(TopicPartition partition) {
    return cluster.stableOffset(partition) - position(partition);
  }

  @Override
  public void seek(TopicPartition partition, long offset) {
    activity++;
    position(partition);
    positions.put(partition, offset);
  }

  @Override
  public Map<TopicPartition, Long> committed(Collection<TopicPartition> partitions) {
    interference.before(Interference.Call.COMMITTED);
    Map<TopicPartition, Long> found = new LinkedHashMap<>(cluster.committedOffsets());
    found.keySet().retainAll(partitions);
    return found;
  }

  // ---- the producer

  @Override
  public void renewProducer() {
    activity++;
    epoch = -1;
    interference.before(Interference.Call.RENEW);
    epoch = cluster.renew(transactionalId);
    interference.after(Interference.Call.RENEW);
  }

  private void refuseIfFenced() {
    if (!cluster.isNewest(transactionalId, epoch)) {
      throw new KafkaException("the producer of " + transactionalId + " is fenced");
    }
  }

  @Override
  public void begin() {
    activity++;
    refuseIfFenced();
    if (cluster.openTransaction(transactionalId) != null) {
      throw new IllegalStateException("begin while a transaction is open");
    }
    changePositions.clear();
    cluster.begin(transactionalId);
  }

  private MemoryCluster.Transaction open() {
    refuseIfFenced();
    MemoryCluster.Transaction open = cluster.openTransaction(transactionalId);
    if (open == null) {
      throw new IllegalStateException("no transaction is open");
    }
    return open;
  }

  @Override
  public void send(Output output) {
    activity++;
    interference.before(Interference.Call.SEND);
    cluster.append(cluster.partitionOf(output.topic(), output.key()), output, open());
    interference.after(Interference.Call.SEND);
  }

  @Override
  public void sendChange(TopicPartition changelog, Change change) {
    activity++;
    interference.before(Interference.Call.SEND_CHANGE);
    Long timestampMs = change.timestampMs();
    Output record =
        new Output(
            changelog.topic(),
            change.key(),
            change.value(),
            timestampMs == null ? 0 : timestampMs,
            List.of());
    changePositions.put(changelog, cluster.append(changelog, record, open()) + 1); // its marker
    interference.after(Interference.Call.SEND_CHANGE);
  }

  @Override
  public void stageOffsets(Map<TopicPartition, Long> offsets) {
    activity++;
    interference.before(Interference.Call.STAGE);
    if (!cluster.isMember(this)) {
      throw new CommitFailedException("another member has these partitions now");
    }
    open().offsets.putAll(offsets);
    interference.after(Interference.Call.STAGE);
  }

  @Override
  public void commit() {
    activity++;
    if (cluster.isNewest(transactionalId, epoch)
        && cluster.openTransaction(transactionalId) == null) {
      return; // a retry of a commit whose answer was lost
    }
    interference.before(Interference.Call.COMMIT);
    open();
    cluster.end(transactionalId, MemoryCluster.Transaction.State.COMMITTED);
    interference.after(Interference.Call.COMMIT);
  }

  @Override
  public boolean abort() {
    activity++;
    interference.before(Interference.Call.ABORT);
    refuseIfFenced();
    cluster.end(transactionalId, MemoryCluster.Transaction.State.ABORTED);
    interference.after(Interference.Call.ABORT);
    return true;
  }

  @Override
  public Map<TopicPartition, Long> changePositions() {
    return changePositions;
  }

  @Override
  public void purge(Map<TopicPartition, Long> beforeOffsets) {
    cluster.purge(beforeOffsets);
  }

  @Override
  public void purgeOlder(Map<TopicPartition, Long> beforeTimes) {
    cluster.purgeOlder(beforeTimes);
  }

  /** A consumer that closes gives its partitions back. */
  @Override
  public void close(long timeoutMs, boolean isReplaced) {
    Assignment listener = assignment;
    if (listener != null && cluster.isMember(this)) {
      take(listener, new Interference.Taken(List.copyOf(positions.keySet()), false));
    }
    assignment = null;
  }

  // ---- the restorer

  /** The consumer that restores the stores of this worker. */
  public ChangelogReader reader() {
    return new Restorer();
  }

  private final class Restorer implements ChangelogReader {
    private final Map<TopicPartition, Long> restoring = new TreeMap<>(MemoryClient::compare);

    @Override
    public Map<TopicPartition, Long> startOffsets(Collection<TopicPartition> partitions) {
      Map<TopicPartition, Long> starts = new LinkedHashMap<>();
      partitions.forEach(partition -> starts.put(partition, cluster.startOffset(partition)));
      return starts;
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
      interference.before(Interference.Call.CHANGELOG_ENDS);
      Map<TopicPartition, Long> ends = new LinkedHashMap<>();
      partitions.forEach(partition -> ends.put(partition, cluster.endOffset(partition)));
      return ends;
    }

    @Override
    public void assign(Map<TopicPartition, Long> fromOffsets) {
      restoring.clear();
      restoring.putAll(fromOffsets);
    }

    @Override
    public List<Batch> poll(long timeoutMs) {
      interference.before(Interference.Call.RESTORE);
      List<Batch> batches = new ArrayList<>();
      for (Map.Entry<TopicPartition, Long> entry : restoring.entrySet()) {
        MemoryCluster.Read read =
            cluster.read(
                entry.getKey(), entry.getValue(), interference.most(Interference.Call.RESTORE));
        entry.setValue(read.position());
        if (!read.records().isEmpty()) {
          batches.add(new Batch(entry.getKey(), read.records()));
          delivered += read.records().size();
        }
      }
      return batches;
    }

    @Override
    public long position(TopicPartition partition) {
      Long position = restoring.get(partition);
      if (position == null) {
        throw new IllegalStateException("no position of " + partition + ", it is not assigned");
      }
      return position;
    }

    @Override
    public void close() {}
  }
}
