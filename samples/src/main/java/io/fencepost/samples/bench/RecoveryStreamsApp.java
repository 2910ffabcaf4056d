package io.fencepost.samples.bench;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
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

/** The same job as {@link RecoveryApp} written for Kafka Streams, with exactly_once_v2. */
final class RecoveryStreamsApp {
  private RecoveryStreamsApp() {}

  /** Arguments as for {@link RecoveryApp}, then further settings as {@code key=value}. */
  public static void main(String[] args) throws Exception {
    long records = Long.parseLong(args[2]);
    AtomicLong processed = new AtomicLong();
    Properties settings = new Properties();
    settings.putAll(settings(args));
    try (KafkaStreams streams = new KafkaStreams(topology(args[4], processed), settings)) {
      streams.start();
      while (processed.get() < records && streams.state() != KafkaStreams.State.ERROR) {
        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      }
      System.out.println(
          streams.state() == KafkaStreams.State.ERROR ? "ended in error" : JobApp.DONE);
      while (System.in.read() >= 0) {
        // until it is killed
      }
    }
  }

  private static Map<String, Object> settings(String[] args) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, args[3]);
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, args[1]);
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, JobApp.WORKERS);
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
    settings.put("auto.offset.reset", "earliest");
    for (String more : List.of(args).subList(5, args.length)) {
      int equals = more.indexOf('=');
      settings.put(more.substring(0, equals), more.substring(equals + 1));
    }
    return settings;
  }

  private static Topology topology(String sizes, AtomicLong processed) {
    var strings = Serdes.String();
    var bytes = Serdes.ByteArray();
    return new Topology()
        .addSource("rows", strings.deserializer(), bytes.deserializer(), RecoveryApp.ROWS)
        .addProcessor("keep", () -> new Keep(processed), "rows")
        .addStateStore(
            Stores.keyValueStoreBuilder(
                Stores.persistentKeyValueStore(RecoveryApp.STORE), strings, bytes),
            "keep")
        .addSink("sizes", sizes, strings.serializer(), Serdes.Integer().serializer(), "keep");
  }

  private static final class Keep implements Processor<String, byte[], String, Integer> {
    private final AtomicLong processed;
    private @Nullable ProcessorContext<String, Integer> context;
    private @Nullable KeyValueStore<String, byte[]> rows;

    Keep(AtomicLong processed) {
      this.processed = processed;
    }

    @Override
    public void init(ProcessorContext<String, Integer> opened) {
      context = opened;
      rows = opened.getStateStore(RecoveryApp.STORE);
    }

    @Override
    public void process(Record<String, byte[]> row) {
      KeyValueStore<String, byte[]> store = rows;
      ProcessorContext<String, Integer> out = context;
      if (store == null || out == null) {
        throw new IllegalStateException("not initialised");
      }
      store.put(row.key(), row.value());
      out.forward(row.withValue(row.value().length));
      processed.incrementAndGet();
    }
  }
}
