package io.fencepost.streams.jdbc;

import io.fencepost.streams.Message;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * Stores what was polled, in one transaction with the offsets; if a message cannot be stored, each
 * message in one of its own, so that the others are and that one is found.
 */
final class BatchStore<K, V> {
  private final Database database;
  private final SinkTables tables;
  private final BatchWriter<K, V> writer;
  private final BooleanSupplier isInterrupted;
  private SinkCounts counts = SinkCounts.ZERO;

  BatchStore(
      Database database,
      SinkTables tables,
      BatchWriter<K, V> writer,
      BooleanSupplier isInterrupted) {
    this.database = database;
    this.tables = tables;
    this.writer = writer;
    this.isInterrupted = isInterrupted;
  }

  SinkCounts counts() {
    return counts;
  }

  /**
   * Stores the items and moves the claims on with each commit.
   *
   * @throws PoisonRow if a message cannot be stored and there is no table for such
   * @throws Fenced if a partition is no longer this sink's
   */
  void store(List<Item<K, V>> items, Map<TopicPartition, Claim> claims) throws Exception {
    boolean isReadable = items.stream().allMatch(item -> item.problem() == null);
    if (isReadable && storeTogether(items, claims)) {
      return;
    }
    for (Item<K, V> item : items) {
      storeAlone(item, claims);
    }
  }

  /** False if a message may be at fault; then nothing of them is stored. */
  private boolean storeTogether(List<Item<K, V>> items, Map<TopicPartition, Claim> claims)
      throws Exception {
    List<Message<K, V>> messages = new ArrayList<>(items.size());
    for (Item<K, V> item : items) {
      Message<K, V> message = item.message();
      if (message != null) {
        messages.add(message);
      }
    }
    try {
      commit(items, claims, connection -> writer.write(connection, messages));
    } catch (Fenced e) {
      throw e;
    } catch (Exception e) {
      if (SqlFailure.of(e) != SqlFailure.POISON || e instanceof InterruptedException) {
        throw e;
      }
      return false;
    }
    counts = counts.plus(new SinkCounts(messages.size(), 0, 1, 0, 0));
    return true;
  }

  private void storeAlone(Item<K, V> item, Map<TopicPartition, Claim> claims) throws Exception {
    Message<K, V> message = item.message();
    Exception problem = item.problem();
    if (message != null) {
      try {
        commit(List.of(item), claims, connection -> writer.write(connection, List.of(message)));
        counts = counts.plus(new SinkCounts(1, 0, 1, 0, 0));
        return;
      } catch (Fenced e) {
        throw e;
      } catch (Exception e) {
        if (SqlFailure.of(e) != SqlFailure.POISON || e instanceof InterruptedException) {
          throw e;
        }
        problem = e;
      }
    }
    String reason = String.valueOf(problem);
    if (tables.deadLetters() == null) {
      // The rows of a new owner make those of an old one look like poison: fenced comes first.
      requireOwner(item.partition(), claims);
      throw new PoisonRow(item.origin(), problem == null ? new IllegalStateException() : problem);
    }
    commit(List.of(item), claims, connection -> tables.bury(connection, item.record(), reason));
    counts = counts.plus(new SinkCounts(0, 1, 1, 0, 0));
  }

  private interface Rows {
    void write(Connection connection) throws Exception;
  }

  private void commit(List<Item<K, V>> items, Map<TopicPartition, Claim> claims, Rows rows)
      throws Exception {
    // In one order, so that two sinks never wait for each other's offsets.
    Map<TopicPartition, Long> nextOffsets =
        new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    for (Item<K, V> item : items) {
      nextOffsets.put(item.partition(), item.record().offset() + 1);
    }
    commit(nextOffsets, claims, rows);
  }

  /** Only finds out whether the partition is still this sink's. */
  private void requireOwner(TopicPartition partition, Map<TopicPartition, Claim> claims)
      throws Exception {
    Claim claim = claims.get(partition);
    if (claim != null) {
      commit(Map.of(partition, claim.nextOffset()), claims, connection -> {});
    }
  }

  private void commit(
      Map<TopicPartition, Long> nextOffsets, Map<TopicPartition, Claim> claims, Rows rows)
      throws Exception {
    Map<TopicPartition, Claim> moved = new LinkedHashMap<>();
    database.transaction(
        connection -> {
          write(rows, connection);
          for (Map.Entry<TopicPartition, Long> next : nextOffsets.entrySet()) {
            Claim claim = claims.get(next.getKey());
            if (claim == null) {
              throw new IllegalStateException(next.getKey() + " is stored without a claim");
            }
            tables.advance(connection, next.getKey(), claim, next.getValue());
            moved.put(next.getKey(), new Claim(claim.epoch(), next.getValue()));
          }
          return moved;
        });
    claims.putAll(moved);
  }

  private void write(Rows rows, Connection connection) throws Exception {
    Exception failure = null;
    try {
      rows.write(GuardedConnection.of(connection));
    } catch (Exception e) {
      failure = e;
    }
    if (isInterrupted.getAsBoolean()) {
      InterruptedException interrupt = new InterruptedException("the sink is told to end at once");
      if (failure != null) {
        interrupt.addSuppressed(failure);
      }
      throw interrupt;
    }
    if (failure != null) {
      throw failure;
    }
  }
}
