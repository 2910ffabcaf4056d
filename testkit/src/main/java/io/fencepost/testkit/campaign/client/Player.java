package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Posting;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Answers each committed record of one topic with a record in another, where its opponent does the
 * reverse. It reads once more before it commits: who saw there what is not committed yet would be
 * answered, and the two transactions would depend on each other. One thread; {@link #stop} may come
 * from any other.
 */
final class Player implements Runnable {
  private static final int TIMEOUT_MS = 10_000;
  private static final int ABORT_PER_MILLE = 200;
  private static final int REPLIES_MAX = 10;
  private static final long PAUSE_MS = 20;
  private static final Duration SLICE = Duration.ofMillis(50);

  private final Clients clients;
  private final Recorder recorder;
  private final Author author;
  private final Court court;
  private final SplittableRandom random;
  private long served;
  private volatile boolean stopping;

  /**
   * Who plays from where to where.
   *
   * @param partitions of each of the two topics
   */
  record Court(String player, String from, String to, int partitions) {}

  Player(Clients clients, Recorder recorder, Tally tally, Court court, long seed) {
    this.clients = clients;
    this.recorder = recorder;
    this.author = new Author(clients, recorder, tally, court.player, TIMEOUT_MS);
    this.court = court;
    this.random = new SplittableRandom(seed);
  }

  /** It ends with the present transaction. */
  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    List<TopicPartition> partitions = new ArrayList<>();
    for (int i = 0; i < court.partitions; i++) {
      partitions.add(new TopicPartition(court.from, i));
    }
    try (KafkaConsumer<String, String> consumer = clients.prober()) {
      consumer.assign(partitions);
      partitions.forEach(partition -> consumer.seek(partition, 0));
      while (!stopping) {
        boolean commit = random.nextInt(1000) >= ABORT_PER_MILLE;
        var unused = author.write(commit, sends -> play(consumer, sends));
        Parking.millis(PAUSE_MS);
      }
    } finally {
      author.close();
    }
  }

  private void play(KafkaConsumer<String, String> consumer, Sends sends) {
    reply(consumer, sends);
    if (sends.count() == 0) {
      Posting.Key key = new Posting.Key(court.player, ++served);
      sends.send(
          court.to,
          random.nextInt(court.partitions),
          new Posting(sends.nextName(), key, BigDecimal.ONE, ""));
    }
    sends.flush();
    reply(consumer, sends);
  }

  private void reply(KafkaConsumer<String, String> consumer, Sends sends) {
    int replies = 0;
    for (ConsumerRecord<String, String> record : consumer.poll(SLICE)) {
      var from = Names.of(record.topic(), record.partition());
      recorder.add(
          new Event.Read(
              court.player, Isolation.READ_COMMITTED, from, record.offset(), record.value()));
      recorder.add(new Event.Took(sends.transaction(), from, record.offset(), record.value()));
      if (replies++ < REPLIES_MAX) {
        Posting ball = Posting.parse(record.value());
        sends.send(
            court.to,
            record.partition(),
            new Posting(sends.nextName(), ball.key(), ball.amount(), ball.name()));
      }
    }
  }
}
