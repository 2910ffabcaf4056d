package io.fencepost.testkit.junit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Writes a partition by a sentence, with a real producer for each transaction. Each step is done
 * and acknowledged when its call returns, so offsets are those of the sentence: every record takes
 * one, and so does the marker of every end of a transaction that sent something here.
 *
 * <pre>{@code
 * LogScript log =
 *     cluster.log("payments")
 *         .transaction("a", t -> t.send(1, 2))   // offsets 0 and 1, a is open
 *         .interleave("b", committed(3))         // offset 2, and 3 for its marker
 *         .abort("a");                           // offset 4 for its marker
 * assertThat(log).readCommitted().sees(3);
 * }</pre>
 *
 * <p>Values are written as text, byte arrays as they are. Nobody else may write to the partition
 * meanwhile. Closing aborts what is open; the cluster does it when it is closed. Not thread-safe.
 */
public final class LogScript implements AutoCloseable {
  private final String bootstrap;
  private final TopicPartition partition;
  private final Duration patience;
  private final String idPrefix;
  private final Map<String, KafkaProducer<byte[], byte[]>> producers = new LinkedHashMap<>();
  private final Map<String, Integer> openSends = new LinkedHashMap<>();
  private final TreeMap<Long, LogRow.Known> known = new TreeMap<>();
  private @Nullable KafkaProducer<byte[], byte[]> plain;
  private @Nullable PartitionReader ends;

  LogScript(String bootstrap, String topic, int partition, Duration patience) {
    this.bootstrap = bootstrap;
    this.partition = new TopicPartition(topic, partition);
    this.patience = patience;
    this.idPrefix = "log-" + topic + "-" + partition + "-" + UUID.randomUUID() + "-";
  }

  /**
   * Begins a transaction, or goes on with it if it is open, and does what the body says. It stays
   * open unless the body ends it.
   */
  public LogScript transaction(String name, Consumer<TransactionScript> body) {
    if (!openSends.containsKey(name)) {
      producer(name).beginTransaction();
      openSends.put(name, 0);
    }
    body.accept(new TransactionScript(this, name));
    return this;
  }

  /**
   * The same in the middle of another transaction.
   *
   * @throws IllegalStateException if no other one is open
   */
  public LogScript interleave(String name, Consumer<TransactionScript> body) {
    if (openSends.keySet().stream().allMatch(name::equals)) {
      throw new IllegalStateException(
          "there is nothing to interleave '%s' with: no other transaction is open in %s%s"
              .formatted(name, partition, openSends.isEmpty() ? "" : ", only itself"));
    }
    return transaction(name, body);
  }

  /** Records outside of any transaction. */
  public LogScript plain(Object... values) {
    for (Object value : values) {
      send(plainProducer(), null, null, value);
    }
    return this;
  }

  private KafkaProducer<byte[], byte[]> plainProducer() {
    if (plain == null) {
      plain = ClusterClients.plain(bootstrap);
    }
    return plain;
  }

  /** Ends a transaction. Its marker takes the next offset, if it sent something here. */
  public LogScript commit(String name) {
    return end(name, true);
  }

  /** Ends a transaction so that none of it counts; its marker takes an offset all the same. */
  public LogScript abort(String name) {
    return end(name, false);
  }

  /**
   * Makes sure of the offset that comes next.
   *
   * @throws IllegalStateException if it is another one, with the log and what stands where
   */
  public LogScript at(long offset) {
    long end = endOffset();
    if (end != offset) {
      throw new IllegalStateException(
          "the next offset of %s is %d, not %d; each end of a transaction takes one for its marker%n%s"
              .formatted(partition, end, offset, LogTable.of(read(), null).plainText()));
    }
    return this;
  }

  /** Writes records outside of any transaction until the next one gets that offset. */
  public LogScript fillTo(long offset) {
    long end = endOffset();
    if (end > offset) {
      at(offset);
    }
    for (long next = end; next < offset; next++) {
      plain("filler " + next);
    }
    return this;
  }

  /** Partition and topic. */
  public TopicPartition partition() {
    return partition;
  }

  /** What stands in the log, as both kinds of readers see it now. */
  public LogReading read() {
    makeTopic();
    return LogReading.of(bootstrap, partition, known);
  }

  /** The log as a table. */
  @Override
  public String toString() {
    return LogTable.of(read(), null).plainText();
  }

  void send(String name, @Nullable Object key, @Nullable Object value) {
    requireOpen(name, "send in");
    send(producer(name), name, key, value);
    openSends.merge(name, 1, Integer::sum);
  }

  private void send(
      KafkaProducer<byte[], byte[]> producer,
      @Nullable String transaction,
      @Nullable Object key,
      @Nullable Object value) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(partition.topic(), partition.partition(), bytes(key), bytes(value));
    try {
      long offset = producer.send(record).get(patience.toMillis(), TimeUnit.MILLISECONDS).offset();
      known.put(offset, LogRow.Known.record(transaction));
    } catch (ExecutionException e) {
      throw new KafkaException(partition + " did not take " + value, e.getCause());
    } catch (TimeoutException e) {
      throw new KafkaException(
          partition + " did not take " + value + " within " + patience.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted while " + value + " was sent to " + partition, e);
    }
  }

  private LogScript end(String name, boolean commit) {
    requireOpen(name, commit ? "commit" : "abort");
    KafkaProducer<byte[], byte[]> producer = producer(name);
    boolean isWritten = openSends.getOrDefault(name, 0) > 0;
    long marker = isWritten ? endOffset() : -1;
    if (commit) {
      producer.commitTransaction();
    } else {
      producer.abortTransaction();
    }
    openSends.remove(name);
    for (LogRow.Known row : known.values()) {
      row.end(name, commit);
    }
    if (isWritten) {
      // Apache Kafka answers when the end is decided, and writes the marker a little later.
      Waiting.until(
          patience,
          "the marker of '" + name + "' stands in " + partition + " at offset " + marker,
          () -> endOffset() > marker,
          () -> "the log ends at offset " + endOffset());
      known.put(marker, LogRow.Known.marker(name, commit));
    }
    return this;
  }

  private void requireOpen(String name, String verb) {
    if (!openSends.containsKey(name)) {
      List<String> open = new ArrayList<>(openSends.keySet());
      throw new IllegalStateException(
          "can't %s '%s': it is not open in %s; %s"
              .formatted(verb, name, partition, open.isEmpty() ? "none is" : "open are " + open));
    }
  }

  private long endOffset() {
    if (ends == null) {
      makeTopic();
      ends = new PartitionReader(bootstrap, false);
    }
    return ends.end(partition);
  }

  /** As its first record would, if the brokers make topics by use; one that is there stays. */
  private void makeTopic() {
    var unused = plainProducer().partitionsFor(partition.topic());
  }

  private KafkaProducer<byte[], byte[]> producer(String name) {
    return producers.computeIfAbsent(
        name, it -> ClusterClients.transactional(bootstrap, idPrefix + it));
  }

  private static byte @Nullable [] bytes(@Nullable Object value) {
    if (value == null || value instanceof byte[]) {
      return (byte[]) value;
    }
    return value.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Aborts what is open. */
  @Override
  public void close() {
    openSends.keySet().forEach(name -> abandon(producer(name)));
    openSends.clear();
    producers.values().forEach(producer -> producer.close(patience));
    producers.clear();
    if (plain != null) {
      plain.close(patience);
      plain = null;
    }
    if (ends != null) {
      ends.close();
      ends = null;
    }
  }

  /** A transaction that can't be aborted any more is ended by the broker. */
  private static void abandon(KafkaProducer<byte[], byte[]> producer) {
    try {
      producer.abortTransaction();
    } catch (KafkaException e) {
      producer.close(Duration.ZERO);
    }
  }
}
