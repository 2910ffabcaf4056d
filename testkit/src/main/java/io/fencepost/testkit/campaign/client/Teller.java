package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Pipeline;
import io.fencepost.testkit.history.Posting;
import io.fencepost.testkit.history.Seen;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One life of a job instance: it reads payments as a member of the group, tells new ones from
 * duplicates, and commits records, offsets and memory in one transaction. It runs on its own
 * thread; {@link #kill} and {@link #interfere} may come from any other.
 */
final class Teller implements Runnable {
  private static final int TIMEOUT_MS = 15_000;
  private static final int ABORT_PER_MILLE = 50;
  private static final Duration SLICE = Duration.ofMillis(100);

  /** Something that happens to an instance within a transaction, on its own thread. */
  interface Interference {
    /**
     * @param transaction that is open, with records sent and no offsets staged yet
     * @return whether the transaction may go on as usual
     */
    boolean within(Teller teller, Open transaction);
  }

  /**
   * An open transaction.
   *
   * @param offsets that it is to stage
   * @param member who stages them
   */
  record Open(
      String name,
      Sends sends,
      Map<TopicPartition, OffsetAndMetadata> offsets,
      ConsumerGroupMetadata member) {}

  private final Recorder recorder;
  private final Tally tally;
  private final String transactionalId;
  private final String session;
  private final SplittableRandom random;
  private final KafkaProducer<String, String> producer;
  private final KafkaConsumer<String, String> consumer;
  private final Map<TopicPartition, Seen> memory = new HashMap<>();
  private final AtomicReference<@Nullable Interference> interference = new AtomicReference<>();
  private volatile boolean stopping;
  private volatile boolean killed;
  private volatile boolean open;
  private int count;

  Teller(Clients clients, Recorder recorder, Tally tally, String id, int incarnation, long seed) {
    this.recorder = recorder;
    this.tally = tally;
    this.transactionalId = id;
    this.session = id + "." + incarnation;
    this.random = new SplittableRandom(seed);
    this.producer = clients.producer(id, TIMEOUT_MS);
    this.consumer = clients.member();
  }

  /** Ends it as SIGKILL would: its connections close, and nobody is told. */
  void kill() {
    killed = true;
    producer.close(Duration.ZERO);
  }

  /** It works to the end of the present transaction and leaves its group. */
  void stop() {
    stopping = true;
  }

  /** False if something else is about to happen to it. */
  boolean interfere(Interference next) {
    return interference.compareAndSet(null, next);
  }

  /** Takes back what has not happened yet; false if it has. */
  boolean spare(Interference next) {
    return interference.compareAndSet(next, null);
  }

  /** Whether it owns its transactional id. */
  boolean isOpen() {
    return open;
  }

  String session() {
    return session;
  }

  KafkaProducer<String, String> producer() {
    return producer;
  }

  @Override
  public void run() {
    try {
      producer.initTransactions();
      recorder.add(new Event.Opened(transactionalId, session));
      open = true;
      consumer.subscribe(List.of(Pipeline.INPUT), new Assignments());
      boolean isAlive = true;
      while (isAlive && !stopping && !killed) {
        ConsumerRecords<String, String> records = consumer.poll(SLICE);
        isAlive = records.isEmpty() || !isMember() || process(records);
      }
    } catch (KafkaException | IllegalStateException e) {
      tally.error(e);
    } finally {
      close();
    }
  }

  /**
   * A client that has just lost its membership may still hand out records; offsets that it stages
   * then carry no generation, and no broker can tell that somebody else has the partition.
   */
  private boolean isMember() {
    boolean isMember = consumer.groupMetadata().generationId() >= 0;
    if (!isMember) {
      rewind(consumer.assignment());
    }
    return isMember;
  }

  private void close() {
    boolean isOrderly = stopping && !killed;
    producer.close(Duration.ZERO);
    consumer.close(
        isOrderly
            ? CloseOptions.timeout(Duration.ofSeconds(5))
            : CloseOptions.timeout(Duration.ZERO)
                .withGroupMembershipOperation(
                    CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP));
  }

  /** False if this life is over. */
  private boolean process(ConsumerRecords<String, String> records) {
    String transaction = session + "/" + ++count;
    Sends sends = new Sends(transaction, producer);
    Map<TopicPartition, Seen> after = new HashMap<>();
    boolean commit = random.nextInt(1000) >= ABORT_PER_MILLE;
    boolean isAsked = false;
    Outcome outcome = Outcome.UNKNOWN;
    try {
      producer.beginTransaction();
      Open current = new Open(transaction, sends, new HashMap<>(), consumer.groupMetadata());
      copy(records, current, after);
      Interference next = interference.getAndSet(null);
      if (next != null && !next.within(this, current)) {
        return false;
      }
      stage(current);
      recorder.add(new Event.EndAsked(transaction, commit));
      isAsked = true;
      if (commit) {
        producer.commitTransaction();
      } else {
        producer.abortTransaction();
      }
      outcome = Outcome.OK;
    } catch (KafkaException | IllegalStateException e) {
      tally.error(e);
      outcome = giveUp();
    } finally {
      sends.record(recorder);
      recorder.add(new Event.Ended(transaction, commit && isAsked, outcome));
      tally.ended(commit && isAsked, outcome);
    }
    if (commit && outcome == Outcome.OK) {
      memory.putAll(after);
    } else if (outcome != Outcome.UNKNOWN) {
      rewind(consumer.assignment());
    }
    return outcome != Outcome.UNKNOWN;
  }

  private void copy(
      ConsumerRecords<String, String> records, Open current, Map<TopicPartition, Seen> after) {
    for (TopicPartition partition : records.partitions()) {
      Seen before = memory.get(partition);
      Seen seen = Seen.parse(before == null ? "" : before.text());
      long next = 0;
      for (ConsumerRecord<String, String> record : records.records(partition)) {
        Posting posting = Posting.parse(record.value());
        recorder.add(
            new Event.Took(current.name, Names.of(partition), record.offset(), record.value()));
        current.sends.send(
            seen.add(posting.key()) ? Pipeline.ACCEPTED : Pipeline.DUPLICATES,
            partition.partition(),
            posting.copied(current.sends.nextName(), partition.partition(), record.offset()));
        next = record.offset() + 1;
      }
      after.put(partition, seen);
      current.offsets.put(partition, new OffsetAndMetadata(next, seen.text()));
    }
  }

  /** Stages the offsets of an open transaction, and writes down that it did. */
  void stage(Open current) {
    producer.sendOffsetsToTransaction(current.offsets, current.member);
    current.offsets.forEach(
        (partition, offset) ->
            recorder.add(
                new Event.Staged(
                    current.name, Pipeline.GROUP, Names.of(partition), offset.offset())));
  }

  /** Aborted for sure if the coordinator says so; else nobody knows, and this life is over. */
  private Outcome giveUp() {
    try {
      producer.abortTransaction();
      return Outcome.FAILED;
    } catch (KafkaException | IllegalStateException e) {
      tally.error(e);
      return Outcome.UNKNOWN;
    }
  }

  /** Goes on where the last commit left off, with the memory of that moment. */
  private void rewind(Collection<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      return;
    }
    Map<TopicPartition, OffsetAndMetadata> committed =
        consumer.committed(new HashSet<>(partitions));
    for (TopicPartition partition : partitions) {
      OffsetAndMetadata last = committed.get(partition);
      consumer.seek(partition, last == null ? 0 : last.offset());
      memory.put(partition, Seen.parse(last == null ? "" : last.metadata()));
    }
  }

  private final class Assignments implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      rewind(partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      memory.keySet().removeAll(partitions);
    }
  }
}
