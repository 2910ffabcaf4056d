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
  private final int replicas;
  private final Map<String, Object> settings;

  private TransactionWorkload(int operationsPerPass, int replicas, Map<String, Object> settings) {
    this.operationsPerPass = operationsPerPass;
    this.replicas = replicas;
    this.settings = settings;
  }

  /** With the client's own defaults. */
  TransactionWorkload(int operationsPerPass) {
    this(operationsPerPass, 1, Map.of());
  }

  /**
   * @param settings of the producer beside its transactional id
   */
  TransactionWorkload(int operationsPerPass, Map<String, Object> settings) {
    this(operationsPerPass, 1, settings);
  }

  /** The same on a topic of several replicas, two of which acknowledge. */
  static TransactionWorkload replicated(int operationsPerPass, int replicas) {
    return new TransactionWorkload(operationsPerPass, replicas, Map.of());
  }

  @Override
  public String title() {
    String replication = replicas == 1 ? "" : ", " + replicas + " replicas";
    return "one-record transactions, one producer, one after the other" + replication;
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
    Clients.createReplicatedTopic(bootstrap, TOPIC, replicas);
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
