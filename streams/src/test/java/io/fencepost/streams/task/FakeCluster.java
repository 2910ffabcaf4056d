package io.fencepost.streams.task;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A cluster that is obviously right: lists, and one open transaction. Its gateway fails on a seed:
 * before the call had effect, after it, with each class of error, and by death of the process.
 */
final class FakeCluster {
  /** The process dies here; only cluster and stores survive. */
  static final class Death extends Error {}

  /** A changelog entry; a null record is a marker. */
  private record Entry(@Nullable ConsumerRecord<byte[], byte[]> record, boolean isCommitted) {}

  final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> input = new LinkedHashMap<>();
  final Map<TopicPartition, Long> committedOffsets = new LinkedHashMap<>();
  final List<Gateway.Output> committedOutput = new ArrayList<>();
  private final Map<TopicPartition, List<Entry>> changelogs = new LinkedHashMap<>();
  private final Random random;
  private final Map<String, Integer> faults = new LinkedHashMap<>();
  double faultRate;

  /** Above the most records of a partition that one poll returns. */
  int pollLimit = 6;

  int polls;
  private @Nullable Open open;

  private static final class Open {
    final List<Gateway.Output> output = new ArrayList<>();
    final Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
    final Map<TopicPartition, List<Integer>> changes = new LinkedHashMap<>();
  }

  FakeCluster(long seed) {
    random = new Random(seed);
  }

  Map<String, Integer> faults() {
    return faults;
  }

  Random random() {
    return random;
  }

  /** Whether this comes now, on the same dice as the faults; counted with them. */
  boolean happens(String what) {
    boolean now = chance(faultRate / 4);
    if (now) {
      faults.merge(what, 1, Integer::sum);
    }
    return now;
  }

  private boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  /** Before (and, called again, after) the effect of a call. */
  private void maybeFail(String where) {
    if (!chance(faultRate)) {
      return;
    }
    int kind = random.nextInt(5);
    faults.merge(where + "/" + kind, 1, Integer::sum);
    switch (kind) {
      case 0 -> throw new TimeoutException(where);
      case 1 -> throw new CommitFailedException();
      case 2 -> throw new KafkaException("error state", new ProducerFencedException(where));
      case 3 -> throw new KafkaException(where);
      default -> throw new Death();
    }
  }

  private void end(boolean isCommit) {
    Open ending = open;
    open = null;
    if (ending == null) {
      return;
    }
    if (isCommit) {
      committedOutput.addAll(ending.output);
      committedOffsets.putAll(ending.offsets);
    }
    ending.changes.forEach(
        (changelog, places) -> {
          List<Entry> entries = Objects.requireNonNull(changelogs.get(changelog));
          places.forEach(
              place -> entries.set(place, new Entry(entries.get(place).record(), isCommit)));
          entries.add(new Entry(null, false));
        });
  }

  /** The fold of a changelog, as a second opinion on the tables. */
  Map<String, Long> replay(TopicPartition changelog) {
    Map<String, Long> state = new LinkedHashMap<>();
    for (Entry entry : changelogs.getOrDefault(changelog, List.of())) {
      ConsumerRecord<byte[], byte[]> record = entry.record();
      if (record != null && entry.isCommitted()) {
        state.put(
            new String(record.key(), java.nio.charset.StandardCharsets.UTF_8),
            Longs.read(record.value()));
      }
    }
    return state;
  }

  /** What a changelog leaves, whatever its types: bytes as hexadecimal text. */
  Map<String, String> fold(TopicPartition changelog) {
    Map<String, String> state = new TreeMap<>();
    for (Entry entry : changelogs.getOrDefault(changelog, List.of())) {
      ConsumerRecord<byte[], byte[]> record = entry.record();
      if (record != null && entry.isCommitted() && record.value() == null) {
        state.remove(hex(record.key()));
      } else if (record != null && entry.isCommitted()) {
        state.put(hex(record.key()), hex(record.value()));
      }
    }
    return state;
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** Offset after the last committed record. */
  long endOfChanges(TopicPartition changelog) {
    List<Entry> entries = changelogs.getOrDefault(changelog, List.of());
    int end = entries.size();
    while (end > 0 && !entries.get(end - 1).isCommitted()) {
      end--;
    }
    return end;
  }

  /** One process's clients. */
  final class Clients implements Gateway {
    private final Map<TopicPartition, Long> positions = new LinkedHashMap<>();
    private final Map<TopicPartition, Long> restoring = new LinkedHashMap<>();
    private final Set<TopicPartition> paused = new LinkedHashSet<>();
    private final Map<TopicPartition, Long> changePositions = new LinkedHashMap<>();
    private @Nullable Assignment assignment;
    private boolean isFenced = true;

    @Override
    public void subscribe(
        Collection<String> topics, @Nullable Pattern pattern, Assignment listener) {
      assignment = listener;
    }

    @Override
    public List<Batch> poll(long timeoutMs) {
      polls++;
      rebalance();
      maybeFail("poll");
      List<Batch> batches = new ArrayList<>();
      for (Map.Entry<TopicPartition, Long> entry : positions.entrySet()) {
        List<ConsumerRecord<byte[], byte[]>> log = input.getOrDefault(entry.getKey(), List.of());
        int from = entry.getValue().intValue();
        int to = Math.min(log.size(), from + random.nextInt(pollLimit));
        if (!paused.contains(entry.getKey()) && from < to) {
          batches.add(new Batch(entry.getKey(), log.subList(from, to)));
          entry.setValue((long) to);
        }
      }
      return batches;
    }

    private void rebalance() {
      Assignment listener = assignment;
      if (listener == null) {
        return;
      }
      List<TopicPartition> gone = new ArrayList<>();
      for (TopicPartition partition : positions.keySet()) {
        if (chance(faultRate / 2)) {
          gone.add(partition);
        }
      }
      if (!gone.isEmpty() && chance(0.5)) {
        listener.revoked(gone);
      } else if (!gone.isEmpty()) {
        listener.lost(gone);
      }
      gone.forEach(positions::remove);
      List<TopicPartition> fresh = new ArrayList<>();
      for (TopicPartition partition : input.keySet()) {
        if (!positions.containsKey(partition) && !gone.contains(partition)) {
          fresh.add(partition);
          positions.put(partition, committedOffsets.getOrDefault(partition, 0L));
        }
      }
      if (!fresh.isEmpty()) {
        listener.assigned(fresh);
      }
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
      paused.addAll(partitions);
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
      paused.removeAll(partitions);
    }

    @Override
    public long position(TopicPartition partition) {
      Long position =
          restoring.containsKey(partition) ? restoring.get(partition) : positions.get(partition);
      if (position == null) {
        throw new IllegalStateException("no position of " + partition);
      }
      return position;
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
      positions.put(partition, offset);
    }

    @Override
    public Map<TopicPartition, Long> committed(Collection<TopicPartition> partitions) {
      maybeFail("committed");
      Map<TopicPartition, Long> found = new LinkedHashMap<>(committedOffsets);
      found.keySet().retainAll(partitions);
      return found;
    }

    @Override
    public void renewProducer() {
      isFenced = true;
      end(false);
      maybeFail("renew");
      isFenced = false;
    }

    @Override
    public void begin() {
      if (isFenced || open != null) {
        throw new IllegalStateException("begin while fenced or open");
      }
      changePositions.clear();
      open = new Open();
    }

    private Open open() {
      if (open == null || isFenced) {
        throw new IllegalStateException("no transaction");
      }
      return open;
    }

    @Override
    public void send(Output output) {
      maybeFail("send");
      open().output.add(output);
    }

    @Override
    public void sendChange(TopicPartition changelog, byte[] key, byte @Nullable [] value) {
      maybeFail("sendChange");
      List<Entry> entries = changelogs.computeIfAbsent(changelog, unused -> new ArrayList<>());
      open().changes.computeIfAbsent(changelog, unused -> new ArrayList<>()).add(entries.size());
      entries.add(
          new Entry(
              new ConsumerRecord<>(
                  changelog.topic(), changelog.partition(), entries.size(), key, value),
              false));
      changePositions.put(changelog, (long) entries.size());
    }

    @Override
    public void stageOffsets(Map<TopicPartition, Long> offsets) {
      maybeFail("stage");
      open().offsets.putAll(offsets);
      maybeFail("staged");
    }

    @Override
    public void commit() {
      if (open == null && !isFenced) {
        return; // a retry of a commit whose answer was lost
      }
      maybeFail("commit");
      open();
      end(true);
      maybeFail("committed, answer lost");
    }

    @Override
    public boolean abort() {
      maybeFail("abort");
      end(false);
      return true;
    }

    @Override
    public void purge(Map<TopicPartition, Long> beforeOffsets) {}

    @Override
    public Map<TopicPartition, Long> changePositions() {
      return changePositions;
    }

    /** A consumer that closes gives its partitions back. */
    @Override
    public void close(long timeoutMs) {
      if (assignment != null) {
        assignment.revoked(List.copyOf(positions.keySet()));
      }
    }

    /** The restorer's read: committed records below the first open one. */
    List<Batch> pollChanges() {
      List<Batch> batches = new ArrayList<>();
      restoring.replaceAll(
          (changelog, from) -> {
            List<Entry> entries = changelogs.getOrDefault(changelog, List.of());
            List<Integer> unsettled =
                open == null ? List.of() : open.changes.getOrDefault(changelog, List.of());
            int end = unsettled.isEmpty() ? entries.size() : unsettled.get(0);
            int to = Math.max(from.intValue(), Math.min(end, from.intValue() + random.nextInt(4)));
            List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
            for (Entry entry : entries.subList(from.intValue(), to)) {
              if (entry.record() != null && entry.isCommitted()) {
                records.add(entry.record());
              }
            }
            if (!records.isEmpty()) {
              batches.add(new Batch(changelog, records));
            }
            return (long) to;
          });
      return batches;
    }

    /** The restorer. */
    ChangelogReader reader() {
      return new ChangelogReader() {
        @Override
        public Map<TopicPartition, Long> startOffsets(Collection<TopicPartition> partitions) {
          return new LinkedHashMap<>();
        }

        @Override
        public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
          maybeFail("ends");
          Map<TopicPartition, Long> ends = new LinkedHashMap<>();
          partitions.forEach(
              partition ->
                  ends.put(partition, (long) changelogs.getOrDefault(partition, List.of()).size()));
          return ends;
        }

        @Override
        public void assign(Map<TopicPartition, Long> fromOffsets) {
          restoring.clear();
          restoring.putAll(fromOffsets);
        }

        @Override
        public List<Gateway.Batch> poll(long timeoutMs) {
          maybeFail("restore");
          return pollChanges();
        }

        @Override
        public long position(TopicPartition partition) {
          return Clients.this.position(partition);
        }

        @Override
        public void close() {}
      };
    }
  }
}
