package io.fencepost.samples.bench;

import io.fencepost.streams.JobConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The clients of {@link JobApp} with its settings and its transactions, and nothing else: no state,
 * no operators, no recovery. Each payment is sent on. What this takes, every job on kafka-clients
 * takes.
 */
final class BareApp {
  private static final long COMMIT_NANOS = Duration.ofMillis(100).toNanos();

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final KafkaProducer<byte[], byte[]> producer;
  private final String charges;
  private final AtomicLong processed;

  private BareApp(JobConfig config, String run, int worker, AtomicLong processed) {
    Map<String, Object> reads = new HashMap<>(config.clientSettings("consumer"));
    reads.put("group.id", "bench-bare-" + run);
    reads.put("enable.auto.commit", "false");
    reads.put("isolation.level", "read_committed");
    Map<String, Object> writes = new HashMap<>(config.clientSettings("producer"));
    writes.put("transactional.id", "bench-bare-" + run + "-" + worker);
    this.consumer =
        new KafkaConsumer<>(reads, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    this.producer =
        new KafkaProducer<>(writes, new ByteArraySerializer(), new ByteArraySerializer());
    this.charges = JobApp.charges(run);
    this.processed = processed;
  }

  /** Arguments as for {@link JobApp}. */
  public static void main(String[] args) throws Exception {
    long records = Long.parseLong(args[2]);
    JobConfig config = JobConfig.of(Map.of("bootstrap.servers", args[0], "state.dir", args[1]));
    AtomicLong processed = new AtomicLong();
    List<Thread> workers = new ArrayList<>();
    for (int worker = 0; worker < JobApp.WORKERS; worker++) {
      int id = worker;
      Thread thread =
          new Thread(() -> new BareApp(config, args[3], id, processed).run(), "bare-" + id);
      thread.setDaemon(true);
      thread.start();
      workers.add(thread);
    }
    while (processed.get() < records && workers.stream().allMatch(Thread::isAlive)) {
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
    System.out.println(processed.get() < records ? "ended in error" : JobApp.DONE);
    while (System.in.read() >= 0) {
      // the parent measures meanwhile
    }
  }

  private void run() {
    producer.initTransactions();
    consumer.subscribe(List.of(JobApp.PAYMENTS));
    long openSinceNanos = 0;
    long open = 0;
    while (true) {
      for (ConsumerRecord<byte[], byte[]> payment : consumer.poll(Duration.ofMillis(100))) {
        if (open++ == 0) {
          producer.beginTransaction();
          openSinceNanos = System.nanoTime();
        }
        var unused = producer.send(charge(payment));
      }
      if (open > 0 && System.nanoTime() - openSinceNanos > COMMIT_NANOS) {
        commit();
        processed.addAndGet(open);
        open = 0;
      }
    }
  }

  private ProducerRecord<byte[], byte[]> charge(ConsumerRecord<byte[], byte[]> payment) {
    @Nullable Integer anyPartition = null;
    return new ProducerRecord<>(
        charges,
        anyPartition,
        payment.timestamp(),
        payment.key(),
        payment.value(),
        payment.headers());
  }

  private void commit() {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (TopicPartition input : consumer.assignment()) {
      offsets.put(input, new OffsetAndMetadata(consumer.position(input)));
    }
    producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
    producer.commitTransaction();
  }
}
