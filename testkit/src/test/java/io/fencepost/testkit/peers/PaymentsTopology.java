package io.fencepost.testkit.peers;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.Nullable;

/**
 * From "payments" (payment, account) each delivery to "audit", the first one of each payment to
 * "charges", and how many payments an account made in each minute to "counts". Now and then a
 * thread dies of it.
 */
final class PaymentsTopology {
  private static final String KNOWN = "known";

  private final int deliveriesPerDeath;
  private final AtomicInteger deliveries = new AtomicInteger();
  private final AtomicInteger deaths = new AtomicInteger();

  PaymentsTopology(int deliveriesPerDeath) {
    this.deliveriesPerDeath = deliveriesPerDeath;
  }

  int deaths() {
    return deaths.get();
  }

  Topology build() {
    StreamsBuilder builder = new StreamsBuilder();
    builder.addStateStore(
        Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore(KNOWN), Serdes.String(), Serdes.String()));
    KStream<String, String> payments = builder.stream("payments");
    payments.to("audit");
    KStream<String, String> charges = payments.processValues(Dedup::new, KNOWN);
    charges.to("charges");
    charges
        .groupBy((payment, account) -> account)
        // Partitions are read at different paces, hence the grace.
        .windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMinutes(1), Duration.ofDays(1)))
        .count(Materialized.as("by-minute"))
        .toStream((window, count) -> window.key() + "@" + window.window().start())
        .mapValues(String::valueOf)
        .to("counts", Produced.with(Serdes.String(), Serdes.String()));
    return builder.build();
  }

  private final class Dedup implements FixedKeyProcessor<String, String, String> {
    private @Nullable FixedKeyProcessorContext<String, String> context;
    private @Nullable KeyValueStore<String, String> known;

    @Override
    public void init(FixedKeyProcessorContext<String, String> context) {
      this.context = context;
      this.known = context.getStateStore(KNOWN);
    }

    @Override
    public void process(FixedKeyRecord<String, String> delivery) {
      if (context == null || known == null) {
        throw new IllegalStateException("not started");
      }
      if (known.putIfAbsent(delivery.key(), delivery.value()) == null) {
        context.forward(delivery);
      }
      // Its transaction is open, with records in the store and on their way.
      if (deliveries.incrementAndGet() % deliveriesPerDeath == 0) {
        deaths.incrementAndGet();
        throw new IllegalStateException("a thread dies on purpose");
      }
    }
  }
}
