package io.fencepost.samples.bench;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * An idempotent producer that sends records of one size, as fast as they are acknowledged or at a
 * fixed rate. At a rate, a record's latency counts from the moment when it was due: a broker that
 * stalls is charged for all records that should have been sent meanwhile.
 */
final class ProduceWorkload implements Workload {
  private static final String TOPIC = "bench-produce";
  private static final int PARTITIONS = 3;
  private static final int LINGER_MS = 5;

  private final int recordBytes;
  private final int operationsPerPass;

  /** Zero: as fast as possible. */
  private final int perSecond;

  private ProduceWorkload(int recordBytes, int operationsPerPass, int perSecond) {
    this.recordBytes = recordBytes;
    this.operationsPerPass = operationsPerPass;
    this.perSecond = perSecond;
  }

  static ProduceWorkload asFastAsPossible(int recordBytes, int operationsPerPass) {
    return new ProduceWorkload(recordBytes, operationsPerPass, 0);
  }

  static ProduceWorkload atRate(int recordBytes, int perSecond, Duration pass) {
    return new ProduceWorkload(
        recordBytes, Math.toIntExact(perSecond * pass.toSeconds()), perSecond);
  }

  @Override
  public String title() {
    String pace =
        perSecond == 0
            ? "as fast as acknowledged"
            : String.format(Locale.ROOT, "%,d a second, latency from the moment due", perSecond);
    return String.format(
        Locale.ROOT,
        "produce records of %,d bytes, %s; idempotent, acks=all, linger %d ms, %d partitions",
        recordBytes,
        pace,
        LINGER_MS,
        PARTITIONS);
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
  public String topic() {
    return TOPIC;
  }

  /** The record alone: there are no transactions. */
  @Override
  public int offsetsPerOperation() {
    return 1;
  }

  @Override
  public Session open(String bootstrap) throws Exception {
    Clients.createTopic(bootstrap, TOPIC, PARTITIONS);
    KafkaProducer<byte[], byte[]> producer =
        Clients.producer(bootstrap, Map.of(ProducerConfig.LINGER_MS_CONFIG, LINGER_MS));
    byte[] value = new byte[recordBytes];
    new SplittableRandom(1).nextBytes(value);
    return new ProduceSession(producer, value, perSecond);
  }

  private record ProduceSession(KafkaProducer<byte[], byte[]> producer, byte[] value, int perSecond)
      implements Session {
    @Override
    public void run(int operations, Latencies latencyNanos) {
      Answers answers = new Answers();
      long begin = System.nanoTime();
      for (int i = 0; i < operations; i++) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(TOPIC, value);
        if (perSecond == 0) {
          var unused = producer.send(record, answers.callback());
        } else {
          long due = begin + i * 1_000_000_000L / perSecond;
          awaitMoment(due);
          var unused = producer.send(record, answers.callback(due, latencyNanos));
        }
      }
      producer.flush();
      answers.check(operations);
    }

    private static void awaitMoment(long nanos) {
      for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }

    @Override
    public void close() {
      Clients.close(producer);
    }
  }

  /** Counts acknowledgements and keeps the first refusal. */
  private static final class Answers {
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicReference<@Nullable Exception> refusal = new AtomicReference<>();

    Callback callback() {
      return (metadata, exception) -> onAnswer(exception);
    }

    Callback callback(long dueNanos, Latencies latencyNanos) {
      return (metadata, exception) -> {
        onAnswer(exception);
        latencyNanos.add(System.nanoTime() - dueNanos);
      };
    }

    private void onAnswer(@Nullable Exception exception) {
      if (exception == null) {
        acknowledged.incrementAndGet();
      } else {
        refusal.compareAndSet(null, exception);
      }
    }

    void check(int operations) {
      Exception first = refusal.get();
      if (first != null || acknowledged.get() != operations) {
        throw new IllegalStateException(
            "%,d of %,d records were acknowledged: the pass is void"
                .formatted(acknowledged.get(), operations),
            first);
      }
    }
  }
}
