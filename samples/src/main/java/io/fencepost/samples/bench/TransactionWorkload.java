package io.fencepost.samples.bench;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;

/** One producer that commits transactions of one record each, one after the other. */
final class TransactionWorkload implements Workload {
  private static final String TOPIC = "bench-transactions";

  private final int operationsPerPass;
  private final Map<String, Object> settings;

  /** With the client's own defaults. */
  TransactionWorkload(int operationsPerPass) {
    this(operationsPerPass, Map.of());
  }

  /**
   * @param settings of the producer beside its transactional id
   */
  TransactionWorkload(int operationsPerPass, Map<String, Object> settings) {
    this.operationsPerPass = operationsPerPass;
    this.settings = settings;
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
  public String topic() {
    return TOPIC;
  }

  /** The record and the marker. */
  @Override
  public int offsetsPerOperation() {
    return 2;
  }

  @Override
  public Session open(String bootstrap) throws Exception {
    Clients.createTopic(bootstrap, TOPIC, 1);
    Map<String, Object> more = new LinkedHashMap<>(settings);
    more.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "bench-" + UUID.randomUUID());
    KafkaProducer<byte[], byte[]> producer = Clients.producer(bootstrap, more);
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
        Clients.close(producer);
      }
    };
  }
}
