package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Shrinking;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** All who work with the topics whose logs lose records. */
final class Shrinkage {
  private static final int PARTITIONS = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Small segments, and nothing is kept for long. */
  private static final Map<String, String> COMPACTED =
      Map.of(
          "cleanup.policy", "compact",
          "internal.segment.bytes", "4096",
          "min.cleanable.dirty.ratio", "0.01",
          "min.compaction.lag.ms", "0",
          "delete.retention.ms", "200",
          "file.delete.delay.ms", "1000");

  private static final Map<String, String> TRIMMED =
      Map.of(
          "cleanup.policy", "delete",
          "internal.segment.bytes", "2048",
          "retention.bytes", "2048",
          "file.delete.delay.ms", "1000");

  private final Clients clients;
  private final Recorder recorder;
  private final Quoter quoter;
  private final Sitter sitter;
  private final Auditor auditor;
  private final List<Idler> idlers = new ArrayList<>();
  private final List<Thread> patient = new ArrayList<>();
  private final List<Thread> others = new ArrayList<>();

  Shrinkage(Clients clients, Recorder recorder, Tally tally, Calm calm, long seed) {
    this.clients = clients;
    this.recorder = recorder;
    SplittableRandom random = new SplittableRandom(seed);
    this.quoter = new Quoter(clients, recorder, tally, PARTITIONS, random.nextLong());
    this.sitter = new Sitter(clients, recorder, tally, PARTITIONS, random.nextLong());
    this.auditor = new Auditor(clients, recorder, tally, partitions());
    for (String topic : Shrinking.TOPICS) {
      idlers.add(new Idler(clients, recorder, tally, calm, new TopicPartition(topic, 0)));
    }
  }

  static List<NewTopic> topics(int replicas, Map<String, String> config) {
    return List.of(
        topic(Shrinking.COMPACTED, replicas, config, COMPACTED),
        topic(Shrinking.TRIMMED, replicas, config, TRIMMED));
  }

  private static NewTopic topic(
      String name, int replicas, Map<String, String> config, Map<String, String> own) {
    Map<String, String> all = new HashMap<>(config);
    all.putAll(own);
    return new NewTopic(name, PARTITIONS, (short) replicas).configs(all);
  }

  private static List<TopicPartition> partitions() {
    List<TopicPartition> partitions = new ArrayList<>();
    for (String topic : Shrinking.TOPICS) {
      for (int i = 0; i < PARTITIONS; i++) {
        partitions.add(new TopicPartition(topic, i));
      }
    }
    return partitions;
  }

  void start() {
    start(others, "quoter", quoter);
    start(others, "sitter", sitter);
    start(others, "auditor", auditor);
    for (int i = 0; i < idlers.size(); i++) {
      start(patient, "idler-" + Shrinking.TOPICS.get(i), idlers.get(i));
    }
  }

  private void start(List<Thread> threads, String name, Runnable work) {
    Thread thread = recorder.thread(name, work);
    threads.add(thread);
    thread.start();
  }

  /** Who still works. Asked for the first time it makes all end, in order. */
  List<String> unfinished() {
    idlers.forEach(Idler::stop);
    List<String> left = alive(patient);
    if (left.isEmpty()) {
      // Until then something has to be written for something to be removed.
      quoter.stop();
      sitter.stop();
      auditor.stop();
      left = alive(others);
    }
    return left;
  }

  private static List<String> alive(List<Thread> threads) {
    return threads.stream()
        .filter(Thread::isAlive)
        .map(thread -> thread.getName() + " still works")
        .toList();
  }

  /** When nobody works any more, all that is left is read. */
  void scan() {
    for (Isolation isolation : Isolation.values()) {
      String reader = isolation + "-remains";
      try (KafkaConsumer<String, String> consumer = clients.reader(isolation)) {
        for (TopicPartition partition : partitions()) {
          long end = Names.answer(consumer.endOffsets(List.of(partition)), partition);
          long start = Names.answer(consumer.beginningOffsets(List.of(partition)), partition);
          Stretch stretch = new Stretch(reader, isolation, partition, start, end);
          if (stretch.read(consumer, recorder, PATIENCE)) {
            recorder.add(new Event.Scanned(reader, isolation, Names.of(partition), start, end));
          } else {
            recorder.trouble(partition + " cannot be read from " + start + " to " + end);
          }
        }
      }
    }
  }
}
