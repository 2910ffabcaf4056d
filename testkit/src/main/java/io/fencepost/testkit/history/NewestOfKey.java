package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Scanned;
import io.fencepost.testkit.history.Event.Sent;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A part of L7: compaction leaves the newest committed record of each key, and shows nothing that
 * was aborted. Where nobody knows how a newer transaction ended, its record may stand there
 * instead. Counts keys that have lost an older record.
 */
final class NewestOfKey implements Check {
  @Override
  public String id() {
    return "L7";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Sent.class, Scanned.class);
  }

  @Override
  public String occasions() {
    return "keys that have lost an older record";
  }

  @Override
  public Verdict check(History history) {
    try {
      return checkPostings(history);
    } catch (IllegalArgumentException malformed) {
      return new Verdict.Unknown(
          "a record of a compacted topic says no key: " + malformed.getMessage());
    }
  }

  private static Verdict checkPostings(History history) {
    Shrinking shrinking = Shrinking.of(history);
    Transactions transactions = history.transactions();
    Remains remains = Remains.of(history, Isolation.READ_COMMITTED);
    TreeMap<TopicPartition, TreeMap<String, TreeMap<Long, Sent>>> sentTo =
        committed(history, shrinking, transactions);
    long occasions = 0;
    for (Scanned scan : remains.scans()) {
      if (!shrinking.isCompacted(scan.partition())) {
        continue;
      }
      TreeMap<String, Long> found = new TreeMap<>();
      for (Read read : remains.reads(scan.partition()).values()) {
        String transaction = transactions.transactionOf(read);
        if (transaction != null && transactions.fate(transaction) == Transactions.Fate.ABORTED) {
          return Verdict.missing(
              "%s was aborted, and it shows after compaction".formatted(transaction),
              transactions.withEnd(
                  transaction, Objects.requireNonNull(transactions.originOf(read)), read, scan));
        }
        found.put(key(read.content(), read.value()), read.offset());
      }
      for (Map.Entry<String, TreeMap<Long, Sent>> key :
          sentTo.getOrDefault(scan.partition(), new TreeMap<>()).entrySet()) {
        Sent newest = key.getValue().lastEntry().getValue();
        if (found.getOrDefault(key.getKey(), -1L) < newest.offset()) {
          return Verdict.missing(
              "the newest record of its key is gone",
              transactions.withEnd(newest.transaction(), newest, scan));
        }
        if (key.getValue().headMap(newest.offset()).keySet().stream()
            .anyMatch(offset -> remains.lacks(scan.partition(), offset))) {
          occasions++;
        }
      }
    }
    return Verdict.passed(occasions);
  }

  /** By partition, key and offset. */
  private static TreeMap<TopicPartition, TreeMap<String, TreeMap<Long, Sent>>> committed(
      History history, Shrinking shrinking, Transactions transactions) {
    TreeMap<TopicPartition, TreeMap<String, TreeMap<Long, Sent>>> sentTo = new TreeMap<>();
    for (Sent sent : history.all(Sent.class)) {
      if (shrinking.isCompacted(sent.partition())
          && sent.outcome() == Outcome.OK
          && transactions.fate(sent.transaction()) == Transactions.Fate.COMMITTED) {
        sentTo
            .computeIfAbsent(sent.partition(), p -> new TreeMap<>())
            .computeIfAbsent(key(sent.content(), sent.value()), k -> new TreeMap<>())
            .put(sent.offset(), sent);
      }
    }
    return sentTo;
  }

  /** What it says, or else the writer in the {@link Posting} of its value. */
  private static String key(Content content, String value) {
    if (!content.key().isEmpty()) {
      return content.key();
    }
    return Posting.parse(value).key().writer();
  }
}
