package io.fencepost.streams.jdbc;

import io.fencepost.streams.JobEnd;
import io.fencepost.streams.StopReason;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker of a sink: a member of the group, and what it has taken in the database. {@link #step}
 * does a bounded piece of work. Single-threaded but for the getters.
 *
 * <p>A partition that the group gives is paused until its row in the database is taken and the
 * consumer stands at the row's offset. After any failure all are taken anew: whether a commit went
 * through is read from the database and never guessed. Partitions are taken right after a poll
 * only, as the group has just said that they are this member's; who took one wrongly all the same
 * is fenced by its next owner, and loses time but no row.
 */
final class SinkLoop<K, V> implements ConsumerRebalanceListener {
  private static final Logger log = LoggerFactory.getLogger(SinkLoop.class);
  private static final long FIRST_PAUSE_MS = 100;
  private static final long LONGEST_PAUSE_MS = 5_000;

  private final SinkDefinition<K, V> definition;
  private final SinkSettings settings;
  private final Consumer<byte[], byte[]> consumer;
  private final Database database;
  private final SinkTables tables;
  private final BatchStore<K, V> store;
  private final Map<TopicPartition, Claim> claims = new LinkedHashMap<>();
  private final Set<TopicPartition> unclaimed = new LinkedHashSet<>();
  private boolean isPrepared;
  private long failingSinceMs = -1;
  private long pauseMs = FIRST_PAUSE_MS;
  private long pausedUntilMs;
  private long retries;
  private long fences;
  private volatile boolean isHurried;
  private volatile SinkHealth health = new SinkHealth(SinkHealth.State.STARTING, "");
  private volatile SinkCounts counts = SinkCounts.ZERO;
  private @Nullable JobEnd end;

  SinkLoop(
      SinkDefinition<K, V> definition,
      SinkSettings settings,
      Consumer<byte[], byte[]> consumer,
      SinkTables tables) {
    this.definition = definition;
    this.settings = settings;
    this.consumer = consumer;
    this.database = new Database(definition.database());
    this.tables = tables;
    this.store = new BatchStore<>(database, tables, definition.writer(), () -> isHurried);
  }

  /**
   * The thread is about to be interrupted: what code of the user says from now on, success or
   * failure, may be due to that and is not committed. From any thread.
   */
  void hurry() {
    isHurried = true;
  }

  @Nullable JobEnd end() {
    return end;
  }

  SinkHealth health() {
    return health;
  }

  SinkCounts counts() {
    return counts;
  }

  void subscribe() {
    consumer.subscribe(definition.topics(), this);
  }

  /** A bounded piece of work; false when the loop has ended. */
  boolean step(long nowMs) {
    if (end != null) {
      return false;
    }
    try {
      List<Item<K, V>> items = poll();
      if (!items.isEmpty()) {
        store.store(items, claims);
        followInGroup();
        worked();
      } else if (unclaimed.isEmpty()) {
        worked();
      }
      if (nowMs >= pausedUntilMs) {
        claim();
      }
    } catch (WakeupException e) {
      log.debug("{} was woken", tables.owner());
    } catch (Exception e) {
      onFailure(e, nowMs);
    } finally {
      counts = store.counts().plus(new SinkCounts(0, 0, 0, retries, fences));
    }
    return end == null;
  }

  private List<Item<K, V>> poll() {
    List<Item<K, V>> items = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record :
        consumer.poll(Duration.ofMillis(settings.pollMs()))) {
      items.add(Item.of(record, definition.keySerde(), definition.valueSerde()));
    }
    return items;
  }

  private void worked() {
    failingSinceMs = -1;
    pauseMs = FIRST_PAUSE_MS;
    pausedUntilMs = 0;
    if (unclaimed.isEmpty()) {
      health = new SinkHealth(SinkHealth.State.WORKING, "");
    }
  }

  /** For tools that show the lag of groups; nobody goes by these offsets. */
  private void followInGroup() {
    Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
    claims.forEach(
        (partition, claim) -> offsets.put(partition, new OffsetAndMetadata(claim.nextOffset())));
    consumer.commitAsync(
        offsets,
        (committed, error) -> {
          if (error != null) {
            log.debug("{}: offsets for monitoring: {}", tables.owner(), error.toString());
          }
        });
  }

  // ---- taking partitions

  private void claim() throws Exception {
    if (!isPrepared) {
      database.statements(
          connection -> {
            tables.create(connection);
            return tables;
          });
      isPrepared = true;
    }
    for (TopicPartition partition : List.copyOf(unclaimed)) {
      Claim claim = claim(partition);
      consumer.seek(partition, claim.nextOffset());
      claims.put(partition, claim);
      unclaimed.remove(partition);
      consumer.resume(List.of(partition));
      log.info(
          "{} takes {} at offset {}, owner epoch {}",
          tables.owner(),
          partition,
          claim.nextOffset(),
          claim.epoch());
    }
  }

  private Claim claim(TopicPartition partition) throws Exception {
    Claim taken = take(partition);
    if (taken != null) {
      return taken;
    }
    long start = startOffset(partition);
    try {
      return database.transaction(connection -> tables.insert(connection, partition, start));
    } catch (SQLException e) {
      String state = e.getSQLState();
      taken = state != null && state.startsWith("23") ? take(partition) : null;
      if (taken == null) {
        throw e;
      }
      return taken;
    }
  }

  private @Nullable Claim take(TopicPartition partition) throws Exception {
    Claim[] taken = new Claim[1];
    database.transaction(
        connection -> {
          Claim claim = tables.take(connection, partition);
          if (claim != null) {
            taken[0] = claim;
          }
          return partition;
        });
    return taken[0];
  }

  private long startOffset(TopicPartition partition) {
    Map<TopicPartition, Long> found =
        settings.startsAtEnd()
            ? consumer.endOffsets(List.of(partition))
            : consumer.beginningOffsets(List.of(partition));
    Long offset = found.get(partition);
    if (offset == null) {
      throw new IllegalStateException("the broker gives no offsets of " + partition);
    }
    return offset;
  }

  // ---- the group's decisions; called inside poll

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      // Some position, so that the consumer looks for none; nothing is read from it.
      consumer.seek(partition, 0);
    }
    consumer.pause(partitions);
    unclaimed.addAll(partitions);
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    partitions.forEach(claims::remove);
    unclaimed.removeAll(partitions);
  }

  // ---- failures

  private void onFailure(Exception error, long nowMs) {
    boolean isFence = error instanceof Fenced;
    if (isFence) {
      fences++;
    } else if (isHopeless(error)) {
      end(error);
      return;
    } else {
      retries++;
    }
    unclaimed.addAll(claims.keySet());
    consumer.pause(claims.keySet());
    claims.clear();
    failingSinceMs = failingSinceMs < 0 ? nowMs : failingSinceMs;
    pausedUntilMs = nowMs + pauseMs;
    pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    health = new SinkHealth(SinkHealth.State.RETRYING, error.toString());
    log.warn("{}: the same messages are read again: {}", tables.owner(), error.toString());
    if (nowMs - failingSinceMs > settings.taskTimeoutMs()) {
      end =
          new JobEnd(
              StopReason.TIMED_OUT,
              "nothing could be stored for task.timeout.ms="
                  + settings.taskTimeoutMs()
                  + "; last error: "
                  + error,
              error,
              List.of());
    }
  }

  private static boolean isHopeless(Exception error) {
    if (error instanceof RetriableException) {
      return false;
    }
    return !(SqlFailure.of(error) == SqlFailure.RETRY);
  }

  private void end(Exception error) {
    StopReason reason = StopReason.FAILED;
    String detail = error.toString();
    if (error instanceof PoisonRow) {
      reason = StopReason.POISON_INPUT;
      detail = String.valueOf(error.getMessage());
    } else if (error instanceof InterruptedException || error instanceof InterruptException) {
      reason = StopReason.STOPPED;
    } else if (error instanceof OffsetOutOfRangeException range) {
      reason = StopReason.REFUSED;
      detail =
          "table "
              + tables.offsets()
              + " says where to go on, and the topic has nothing there: "
              + range.offsetOutOfRangePartitions()
              + ". Either messages were deleted before they were stored, or the topic was made"
              + " anew. Set next_offset where to go on, or delete the row to begin by"
              + " auto.offset.reset";
    } else if (SqlFailure.of(error) == SqlFailure.REFUSED) {
      reason = StopReason.REFUSED;
      detail = "the database refuses it whatever the message: " + error;
    } else if (error instanceof KafkaException) {
      reason = StopReason.REFUSED;
    }
    end = new JobEnd(reason, detail, error, List.of());
  }

  /** Leaves the group. */
  @SuppressWarnings("deprecation") // the successor of close(Duration) is missing in the 3.9 client
  void close(Duration timeout) {
    consumer.close(timeout);
  }
}
