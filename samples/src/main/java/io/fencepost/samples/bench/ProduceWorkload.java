package io.fencepost.samples.bench;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** An idempotent producer that sends records of one size as fast as they are acknowledged. */
final class ProduceWorkload implements Workload {
  private static final String TOPIC = "bench-produce";
  private static final int PARTITIONS = 3;

  private final int recordBytes;
  private final int operationsPerPass;

  ProduceWorkload(int recordBytes, int operationsPerPass) {
    this.recordBytes = recordBytes;
    this.operationsPerPass = operationsPerPass;
  }

  @Override
  public String title() {
    return "produce records of %,d bytes, idempotent, acks=all, %d partitions"
        .formatted(recordBytes, PARTITIONS);
  }

  @Override
  public String unit() {
    return "record";
  }

  @Override
  public int operationsPerPass() {
    return operationsPerPass;
  }

  @Override
  public Session open(String bootstrap) throws Exception {
    Clients.createTopic(bootstrap, TOPIC, PARTITIONS);
    KafkaProducer<byte[], byte[]> producer =
        Clients.producer(bootstrap, Map.of(ProducerConfig.LINGER_MS_CONFIG, 5));
    byte[] value = new byte[recordBytes];
    new SplittableRandom(1).nextBytes(value);
    return new Session() {
      @Override
      public void run(int operations, Latencies latencyNanos) {
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        for (int i = 0; i < operations; i++) {
          var unused =
              producer.send(
                  new ProducerRecord<>(TOPIC, value),
                  (metadata, exception) -> {
                    if (exception != null) {
                      failure.compareAndSet(null, exception);
                    }
                  });
        }
        producer.flush();
        Exception first = failure.get();
        if (first != null) {
          throw new IllegalStateException("a record was not acknowledged, the pass is void", first);
        }
      }

      @Override
      public void close() {
        producer.close();
      }
    };
  }
}
