package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Posting;
import java.math.BigDecimal;
import java.util.List;

/** Commits one transaction with a record in each of some partitions. One thread. */
final class Notary implements Runnable {
  static final String TOPIC = "deeds";

  private static final int TIMEOUT_MS = 20_000;

  private final Author author;
  private final String id;
  private final List<Integer> partitions;
  private final Runnable beforeCommit;

  /**
   * @param id the transactional id
   * @param beforeCommit is done when the records are acknowledged, before the commit is asked for
   */
  Notary(
      Clients clients,
      Recorder recorder,
      Tally tally,
      String id,
      List<Integer> partitions,
      Runnable beforeCommit) {
    this.author = new Author(clients, recorder, tally, id, TIMEOUT_MS);
    this.id = id;
    this.partitions = List.copyOf(partitions);
    this.beforeCommit = beforeCommit;
  }

  @Override
  public void run() {
    try {
      var unused = author.write(true, this::sign);
    } finally {
      author.close();
    }
  }

  private void sign(Sends sends) {
    for (int partition : partitions) {
      Posting.Key key = new Posting.Key(id, partition);
      sends.send(TOPIC, partition, new Posting(sends.nextName(), key, BigDecimal.ONE, ""));
    }
    sends.flush();
    beforeCommit.run();
  }
}
