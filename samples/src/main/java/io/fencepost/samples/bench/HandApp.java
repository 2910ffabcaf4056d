package io.fencepost.samples.bench;

import io.fencepost.streams.JobConfig;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * {@link JobApp} written by hand on kafka-clients and RocksDB, with its settings and transactions
 * and in as few steps as it takes. What is not there is what a framework is for: no group, no
 * operators, nothing that reads the changelog back, no way out of any failure.
 */
final class HandApp {
  private static final long COMMIT_NANOS = Duration.ofMillis(100).toNanos();
  private static final int WRITE_BUFFER_BYTES = 8 << 20;

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final KafkaProducer<byte[], byte[]> producer;
  private final String run;
  private final Map<TopicPartition, Store> stores = new HashMap<>();
  private final WriteOptions unforced = new WriteOptions();
  private final AtomicLong processed;

  /** The first sights of a partition's keys; those of the open transaction are not on disk yet. */
  private record Store(RocksDB db, LinkedHashMap<ByteBuffer, byte[]> open) {
    static Store open(Path directory) throws Exception {
      Options options =
          new Options()
              .setCreateIfMissing(true)
              .setWriteBufferSize(WRITE_BUFFER_BYTES)
              .setMemtablePrefixBloomSizeRatio(0.1)
              .setMemtableWholeKeyFiltering(true)
              .setTableFormatConfig(
                  new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(10, false)));
      return new Store(
          RocksDB.open(options, Files.createDirectories(directory).toString()),
          new LinkedHashMap<>());
    }
  }

  private HandApp(JobConfig config, String run, List<TopicPartition> inputs, AtomicLong processed)
      throws Exception {
    Map<String, Object> reads = new HashMap<>(config.clientSettings("consumer"));
    reads.put("group.id", "bench-hand-" + run);
    reads.put("enable.auto.commit", "false");
    reads.put("isolation.level", "read_committed");
    Map<String, Object> writes = new HashMap<>(config.clientSettings("producer"));
    writes.put("transactional.id", "bench-hand-" + run + "-" + inputs);
    this.consumer =
        new KafkaConsumer<>(reads, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    this.producer =
        new KafkaProducer<>(writes, new ByteArraySerializer(), new ByteArraySerializer());
    this.run = run;
    this.processed = processed;
    for (TopicPartition input : inputs) {
      stores.put(input, Store.open(Path.of(String.valueOf(config.stateDir()), input.toString())));
    }
  }

  /** Where the first sights of a run are kept. */
  static String changelog(String run) {
    return "bench-sights-" + run;
  }

  /** Arguments as for {@link JobApp}. */
  public static void main(String[] args) throws Exception {
    RocksDB.loadLibrary();
    long records = Long.parseLong(args[2]);
    JobConfig config = JobConfig.of(Map.of("bootstrap.servers", args[0], "state.dir", args[1]));
    AtomicLong processed = new AtomicLong();
    List<Thread> workers = new ArrayList<>();
    for (int worker = 0; worker < JobApp.WORKERS; worker++) {
      List<TopicPartition> inputs = new ArrayList<>();
      for (int partition = worker; partition < JobRace.PARTITIONS; partition += JobApp.WORKERS) {
        inputs.add(new TopicPartition(JobApp.PAYMENTS, partition));
      }
      HandApp app = new HandApp(config, args[3], inputs, processed);
      Thread thread = new Thread(app::run, "hand-" + worker);
      thread.setDaemon(true);
      thread.start();
      workers.add(thread);
    }
    while (processed.get() < records && workers.stream().allMatch(Thread::isAlive)) {
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
    if (processed.get() < records) {
      throw new IllegalStateException("a worker ended after " + processed.get() + " payments");
    }
    System.out.println(JobApp.DONE);
    while (System.in.read() >= 0) {
      // the parent measures meanwhile
    }
  }

  private void run() {
    try {
      work();
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  private void work() throws RocksDBException {
    producer.initTransactions();
    consumer.assign(stores.keySet());
    consumer.seekToBeginning(stores.keySet());
    long openSinceNanos = 0;
    long open = 0;
    while (true) {
      ConsumerRecords<byte[], byte[]> payments = consumer.poll(Duration.ofMillis(100));
      if (open == 0 && !payments.isEmpty()) {
        producer.beginTransaction();
        openSinceNanos = System.nanoTime();
      }
      for (TopicPartition input : payments.partitions()) {
        sendOn(payments.records(input), Objects.requireNonNull(stores.get(input)));
      }
      open += payments.count();
      if (open > 0 && System.nanoTime() - openSinceNanos > COMMIT_NANOS) {
        commit();
        processed.addAndGet(open);
        open = 0;
      }
    }
  }

  private void sendOn(List<ConsumerRecord<byte[], byte[]>> payments, Store store)
      throws RocksDBException {
    List<byte[]> keys = payments.stream().map(ConsumerRecord::key).toList();
    List<byte @Nullable []> seen = store.db().multiGetAsList(keys);
    for (int i = 0; i < keys.size(); i++) {
      ConsumerRecord<byte[], byte[]> payment = payments.get(i);
      byte[] now = ByteBuffer.allocate(Long.BYTES).putLong(payment.timestamp()).array();
      boolean isRepeated =
          seen.get(i) != null
              || store.open().putIfAbsent(ByteBuffer.wrap(keys.get(i)), now) != null;
      var unused = producer.send(copy(payment, isRepeated));
    }
  }

  private ProducerRecord<byte[], byte[]> copy(
      ConsumerRecord<byte[], byte[]> payment, boolean isRepeated) {
    @Nullable Integer anyPartition = null;
    return new ProducerRecord<>(
        isRepeated ? JobApp.repeated(run) : JobApp.charges(run),
        anyPartition,
        payment.timestamp(),
        payment.key(),
        payment.value(),
        payment.headers());
  }

  private void commit() throws RocksDBException {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (Map.Entry<TopicPartition, Store> entry : stores.entrySet()) {
      TopicPartition input = entry.getKey();
      offsets.put(input, new OffsetAndMetadata(consumer.position(input)));
      byte[] sights = packed(entry.getValue().open());
      var unused =
          producer.send(new ProducerRecord<>(changelog(run), input.partition(), null, sights));
    }
    producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
    producer.commitTransaction();
    for (Store store : stores.values()) {
      try (WriteBatch batch = new WriteBatch()) {
        for (Map.Entry<ByteBuffer, byte[]> sight : store.open().entrySet()) {
          batch.put(sight.getKey().array(), sight.getValue());
        }
        store.db().write(unforced, batch);
      }
      store.open().clear();
    }
  }

  @SuppressWarnings("ByteBufferBackingArray") // each wraps an array of its own
  private static byte[] packed(Map<ByteBuffer, byte[]> sights) {
    int size = sights.keySet().stream().mapToInt(key -> key.capacity() + 3 * Integer.BYTES).sum();
    ByteBuffer all = ByteBuffer.allocate(size);
    sights.forEach((key, time) -> all.putInt(key.capacity()).put(key.array()).put(time));
    return all.array();
  }
}
