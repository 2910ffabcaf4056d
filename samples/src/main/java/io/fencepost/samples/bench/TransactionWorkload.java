package io.fencepost.samples.bench;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;

/** One producer that commits transactions of one record each, one after the other. */
final class TransactionWorkload implements Workload {
  private static final String TOPIC = "bench-transactions";

  private final int operationsPerPass;

  TransactionWorkload(int operationsPerPass) {
    this.operationsPerPass = operationsPerPass;
  }

  @Override
  public String title() {
    return "one-record transactions, one producer, one after the other";
  }

  @Override
  public String unit() {
    return "transaction";
  }

  @Override
  public int operationsPerPass() {
    return operationsPerPass;
  }

  @Override
  public Session open(String bootstrap) throws Exception {
    Clients.createTopic(bootstrap, TOPIC, 1);
    KafkaProducer<byte[], byte[]> producer =
        Clients.producer(
            bootstrap,
            Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "bench-" + UUID.randomUUID()));
    producer.initTransactions();
    byte[] value = "a payment of one pound".getBytes(StandardCharsets.UTF_8);
    return new Session() {
      @Override
      public void run(int operations, Latencies latencyNanos) throws Exception {
        for (int i = 0; i < operations; i++) {
          long begin = System.nanoTime();
          producer.beginTransaction();
          var unused = producer.send(new ProducerRecord<>(TOPIC, value));
          producer.commitTransaction();
          latencyNanos.add(System.nanoTime() - begin);
        }
      }

      @Override
      public void close() {
        producer.close();
      }
    };
  }
}
