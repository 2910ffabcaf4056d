package io.fencepost.samples.bench;

import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.Nullable;

/**
 * The same job as {@link JobApp} written for Kafka Streams, with exactly_once_v2 and transactional
 * state stores. It never forgets a key, which is less work than a retention.
 */
final class StreamsApp {
  private static final String SEEN = "seen";
  private static final String CHARGES = "charges";
  private static final String REPEATED = "repeated";
  private static final int THREADS = 2;

  private StreamsApp() {}

  /** Arguments as for {@link JobApp}. */
  public static void main(String[] args) throws Exception {
    long records = Long.parseLong(args[2]);
    AtomicLong processed = new AtomicLong();
    Topology topology = topology(processed, args[3]);
    Properties settings = new Properties();
    settings.putAll(
        Map.of(
            StreamsConfig.APPLICATION_ID_CONFIG,
            "bench-dedup-" + args[3],
            StreamsConfig.BOOTSTRAP_SERVERS_CONFIG,
            args[0],
            StreamsConfig.STATE_DIR_CONFIG,
            args[1],
            StreamsConfig.NUM_STREAM_THREADS_CONFIG,
            THREADS,
            StreamsConfig.COMMIT_INTERVAL_MS_CONFIG,
            100,
            StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
            StreamsConfig.EXACTLY_ONCE_V2,
            StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG,
            true,
            StreamsConfig.REPLICATION_FACTOR_CONFIG,
            1,
            "auto.offset.reset",
            "earliest"));
    try (KafkaStreams streams = new KafkaStreams(topology, settings)) {
      streams.start();
      while (processed.get() < records && streams.state() != KafkaStreams.State.ERROR) {
        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      }
      System.out.println(
          streams.state() == KafkaStreams.State.ERROR ? "ended in error" : JobApp.DONE);
      while (System.in.read() >= 0) {
        // the parent measures meanwhile
      }
    }
  }

  private static Topology topology(AtomicLong processed, String run) {
    var strings = Serdes.String();
    var bytes = Serdes.ByteArray();
    return new Topology()
        .addSource(JobApp.PAYMENTS, strings.deserializer(), bytes.deserializer(), JobApp.PAYMENTS)
        .addProcessor("dedup", () -> new Dedup(processed), JobApp.PAYMENTS)
        .addStateStore(
            Stores.keyValueStoreBuilder(
                Stores.persistentKeyValueStore(SEEN), strings, Serdes.Long()),
            "dedup")
        .addSink(CHARGES, JobApp.charges(run), strings.serializer(), bytes.serializer(), "dedup")
        .addSink(REPEATED, JobApp.repeated(run), strings.serializer(), bytes.serializer(), "dedup");
  }

  /** The first of each key to the charges, all others to the repeated. */
  private static final class Dedup implements Processor<String, byte[], String, byte[]> {
    private final AtomicLong processed;
    private @Nullable ProcessorContext<String, byte[]> context;
    private @Nullable KeyValueStore<String, Long> seen;

    Dedup(AtomicLong processed) {
      this.processed = processed;
    }

    @Override
    public void init(ProcessorContext<String, byte[]> opened) {
      context = opened;
      seen = opened.getStateStore(SEEN);
    }

    @Override
    public void process(Record<String, byte[]> payment) {
      KeyValueStore<String, Long> store = seen;
      ProcessorContext<String, byte[]> out = context;
      if (store == null || out == null) {
        throw new IllegalStateException("not initialised");
      }
      if (store.get(payment.key()) == null) {
        store.put(payment.key(), payment.timestamp());
        out.forward(payment, CHARGES);
      } else {
        out.forward(payment, REPEATED);
      }
      processed.incrementAndGet();
    }
  }
}
