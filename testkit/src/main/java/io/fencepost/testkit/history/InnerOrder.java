package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Sent;
import java.util.List;
import java.util.TreeMap;

/**
 * V5: a reader goes forward only, and the records of a transaction keep their send order in a
 * partition.
 */
public final class InnerOrder implements Check {
  @Override
  public String id() {
    return "V5";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Read.class);
  }

  @Override
  public String occasions() {
    return "records that a reader was handed after another of the partition";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, Read> lastRead = new TreeMap<>();
    long occasions = 0;
    for (Read read : history.all(Read.class)) {
      Read before = lastRead.put(read.reader() + " " + read.partition(), read);
      if (before != null) {
        occasions++;
        if (read.offset() <= before.offset()) {
          return Verdict.broken("the reader went back", before, read);
        }
      }
    }
    Transactions transactions = history.transactions();
    for (String name : transactions.names()) {
      TreeMap<TopicPartition, Sent> lastSent = new TreeMap<>();
      for (Sent sent : transactions.sentIn(name)) {
        if (sent.outcome() != Outcome.OK) {
          continue;
        }
        Sent before = lastSent.put(sent.partition(), sent);
        if (before != null && sent.offset() <= before.offset()) {
          return Verdict.broken("they were sent in this order", before, sent);
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
