package io.fencepost.testkit.kill;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.campaign.client.Parking;
import io.fencepost.testkit.campaign.client.Recorder;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Threads that send and write down what they learn; each ends when told, with all known. */
final class Load {
  /** The topic whose offsets are staged. */
  static final String INPUT = "input";

  private static final int MAX_RECORDS = 4;
  private static final int PLAIN_PAUSE_MS = 4;

  private final String bootstrap;
  private final String topic;
  private final int partitions;
  private final Recorder recorder;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;

  Load(String bootstrap, String topic, int partitions, Recorder recorder) {
    this.bootstrap = bootstrap;
    this.topic = topic;
    this.partitions = partitions;
    this.recorder = recorder;
  }

  void plain(String name, long seed) {
    start(name, () -> sendPlain(name, new SplittableRandom(seed)));
  }

  void transactional(String name, long seed) {
    start(name, () -> new Transactions(name, new SplittableRandom(seed)).run());
  }

  private void start(String name, Runnable work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (RuntimeException e) {
                recorder.trouble(name + ": " + e);
              }
            },
            name);
    thread.start();
    threads.add(thread);
  }

  void stop() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private KafkaProducer<String, String> producer(Map<String, Object> more) {
    Map<String, Object> config = new HashMap<>(more);
    config.put("bootstrap.servers", bootstrap);
    config.put("acks", "all");
    config.put("delivery.timeout.ms", 120_000);
    config.put("reconnect.backoff.max.ms", 100);
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  private TopicPartition partition(int partition) {
    return new TopicPartition(topic, partition);
  }

  /** Each record is a transaction of its own: committed when it is acknowledged. */
  private void sendPlain(String name, SplittableRandom random) {
    try (KafkaProducer<String, String> producer = producer(Map.of("linger.ms", 0))) {
      for (int i = 0; !stopping; i++) {
        String value = name + ":" + i;
        TopicPartition to = partition(random.nextInt(partitions));
        recorder.add(new Event.EndAsked(value, true));
        var unused =
            producer.send(
                new ProducerRecord<>(topic, to.partition(), null, value),
                (metadata, error) -> acknowledged(to, value, metadata, error));
        Parking.millis(random.nextInt(PLAIN_PAUSE_MS));
      }
    }
  }

  private void acknowledged(TopicPartition to, String value, RecordMetadata at, Exception error) {
    Outcome outcome = error == null ? Outcome.OK : Outcome.UNKNOWN;
    recorder.add(new Event.Sent(value, to, value, outcome, error == null ? at.offset() : -1));
    recorder.add(new Event.Ended(value, true, outcome));
    if (error != null) {
      recorder.trouble(value + " was not sent: " + error);
    }
  }

  /** One transactional producer through all its incarnations, with a group of its own. */
  private final class Transactions {
    private final String name;
    private final String group;
    private final SplittableRandom random;
    private final org.apache.kafka.common.TopicPartition input =
        new org.apache.kafka.common.TopicPartition(INPUT, 0);
    private KafkaProducer<String, String> producer;
    private int count;

    Transactions(String name, SplittableRandom random) {
      this.name = name;
      this.group = "group-of-" + name;
      this.random = random;
      this.producer = fresh();
    }

    private KafkaProducer<String, String> fresh() {
      return producer(
          Map.of(
              "transactional.id", name, "transaction.timeout.ms", 20_000, "max.block.ms", 60_000));
    }

    void run() {
      Map<String, Object> config = new HashMap<>();
      config.put("bootstrap.servers", bootstrap);
      config.put("group.id", group);
      config.put("isolation.level", "read_committed");
      config.put("reconnect.backoff.max.ms", 100);
      try (KafkaConsumer<String, String> offsets =
          new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
        producer.initTransactions();
        while (!stopping) {
          transaction(offsets);
          readOffset(offsets);
        }
      } finally {
        producer.close(Duration.ZERO);
      }
    }

    private void transaction(KafkaConsumer<String, String> offsets) {
      String transaction = name + "/" + ++count;
      boolean commit = random.nextInt(4) != 0;
      List<String> values = new ArrayList<>();
      List<TopicPartition> targets = new ArrayList<>();
      List<Future<RecordMetadata>> sends = new ArrayList<>();
      Outcome end = Outcome.UNKNOWN;
      try {
        producer.beginTransaction();
        for (int i = 1 + random.nextInt(MAX_RECORDS); i > 0; i--) {
          TopicPartition to = partition(random.nextInt(partitions));
          String value = transaction + ":" + i;
          values.add(value);
          targets.add(to);
          sends.add(producer.send(new ProducerRecord<>(topic, to.partition(), null, value)));
        }
        if (!commit) {
          producer.flush();
        }
        producer.sendOffsetsToTransaction(
            Map.of(input, new OffsetAndMetadata(count)), offsets.groupMetadata());
        recorder.add(new Event.Staged(transaction, group, partitionOf(input), count));
        recorder.add(new Event.EndAsked(transaction, commit));
        if (commit) {
          producer.commitTransaction();
        } else {
          producer.abortTransaction();
        }
        end = Outcome.OK;
      } catch (KafkaException e) {
        startOver(e);
      }
      for (int i = 0; i < values.size(); i++) {
        recordSend(
            transaction, targets.get(i), values.get(i), i < sends.size() ? sends.get(i) : null);
      }
      recorder.add(new Event.Ended(transaction, commit, end));
    }

    private void recordSend(
        String transaction,
        TopicPartition to,
        String value,
        @Nullable Future<RecordMetadata> send) {
      Outcome outcome = Outcome.UNKNOWN;
      long offset = -1;
      try {
        if (send != null) {
          offset = send.get().offset();
          outcome = Outcome.OK;
        }
      } catch (ExecutionException e) {
        outcome = Outcome.UNKNOWN;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      recorder.add(new Event.Sent(transaction, to, value, outcome, offset));
    }

    /** Nothing but the restart of the server disturbs us, and retries get over that. */
    private void startOver(KafkaException why) {
      recorder.trouble(name + " in transaction " + count + ": " + why);
      producer.close(Duration.ZERO);
      producer = fresh();
      producer.initTransactions();
    }

    private void readOffset(KafkaConsumer<String, String> offsets) {
      OffsetAndMetadata seen = offsets.committed(Set.of(input), Duration.ofSeconds(60)).get(input);
      recorder.add(
          new Event.OffsetSeen(group, partitionOf(input), seen == null ? -1 : seen.offset()));
    }

    private TopicPartition partitionOf(org.apache.kafka.common.TopicPartition partition) {
      return new TopicPartition(partition.topic(), partition.partition());
    }
  }
}
