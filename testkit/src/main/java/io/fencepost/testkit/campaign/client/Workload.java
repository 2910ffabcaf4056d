package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.campaign.Fault;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Pipeline;
import io.fencepost.testkit.history.Shrinking;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * All who work with the cluster during a campaign: writers, job instances, readers, observer,
 * players, and those whose logs are compacted and trimmed.
 */
public final class Workload {
  /** Written to by those alone who {@link #sign}. */
  public static final String DEEDS = Notary.TOPIC;

  private static final int WRITERS = 2;
  private static final int TRANSACTION_RECORDS = 500;
  private static final List<String> TOPICS =
      List.of(
          Pipeline.INPUT, Pipeline.ACCEPTED, Pipeline.DUPLICATES, Match.THERE, Match.BACK, DEEDS);

  private final Clients clients;
  private final Size size;
  private final Recorder recorder;
  private final Tally tally = new Tally();
  private final Crew crew;
  private final Observer observer;
  private final Readers readers;
  private final Match match;
  private final Shrinkage shrinkage;
  private final Calm calm = new Calm();
  private final List<Writer> writers = new ArrayList<>();
  private final List<Thread> writerThreads = new ArrayList<>();
  private final List<Thread> others = new ArrayList<>();
  private final SplittableRandom random;
  private int hangerCount;
  private int notaryCount;

  /**
   * How much there is to do.
   *
   * @param records that are to be committed
   * @param seconds over which they are spread
   */
  public record Size(int records, int seconds, int partitions, int instances) {}

  public Workload(Clients clients, Size size, long seed, Recorder recorder) {
    this.recorder = recorder;
    Pipeline.FLOWS.forEach(recorder::add);
    Shrinking.CLEANUPS.forEach(recorder::add);
    this.clients = clients;
    this.size = size;
    this.random = new SplittableRandom(seed);
    this.crew = new Crew(clients, recorder, tally, size.instances, random.nextLong());
    this.observer = new Observer(clients, recorder, tally, size.partitions);
    this.readers = new Readers(clients.bootstrap(), TOPICS, size.partitions, recorder);
    this.match = new Match(clients, recorder, tally, size.partitions, random.nextLong());
    this.shrinkage = new Shrinkage(clients, recorder, tally, calm, random.nextLong());
  }

  public Recorder recorder() {
    return recorder;
  }

  public Tally tally() {
    return tally;
  }

  public Crew crew() {
    return crew;
  }

  /** Hears whether brokers are hurt. */
  public Calm calm() {
    return calm;
  }

  public void createTopics(int replicas, int minIsr) {
    try (Admin admin = clients.admin()) {
      Map<String, String> config = Map.of("min.insync.replicas", String.valueOf(minIsr));
      List<NewTopic> topics = new ArrayList<>(Shrinkage.topics(replicas, config));
      TOPICS.forEach(
          topic ->
              topics.add(new NewTopic(topic, size.partitions, (short) replicas).configs(config)));
      admin.createTopics(topics).all().get();
    } catch (ExecutionException e) {
      // An impatient client that asks again meets its own first request.
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw new IllegalStateException(e.getCause());
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public void start() {
    int each = Math.max(1, size.records / TRANSACTION_RECORDS / WRITERS);
    Writer.Work work =
        new Writer.Work(
            each,
            Math.min(TRANSACTION_RECORDS, size.records),
            size.partitions,
            TimeUnit.SECONDS.toMillis(size.seconds) / each);
    for (int i = 1; i <= WRITERS; i++) {
      String name = "writer-" + i;
      Writer writer = new Writer(clients, recorder, tally, name, work, random.nextLong());
      writers.add(writer);
      writerThreads.add(start(name, writer));
    }
    crew.start();
    readers.start("");
    match.start();
    shrinkage.start();
    calm.settle();
    others.add(start("observer", observer));
  }

  /** A producer leaves a transaction open. */
  public void hang() {
    String id = "hanger-" + ++hangerCount;
    int partition = random.nextInt(size.partitions);
    others.add(start(id, new Hanger(clients, recorder, tally, id, partition)));
  }

  /** A transactional id that nobody has used. */
  public String newNotary() {
    return "notary-" + ++notaryCount;
  }

  /**
   * Commits a transaction with a record in each of these partitions of {@link #DEEDS}, in a thread
   * of its own.
   *
   * @param beforeCommit is done when the records are acknowledged, before the commit is asked for
   */
  public void sign(String notary, List<Integer> partitions, Runnable beforeCommit) {
    others.add(
        start(notary, new Notary(clients, recorder, tally, notary, partitions, beforeCommit)));
  }

  private Thread start(String name, Runnable work) {
    Thread thread = recorder.thread(name, work);
    thread.start();
    return thread;
  }

  /** Records that writers know to be committed. */
  public long committedRecords() {
    return tally.written();
  }

  /** Faults of clients of which nothing is written down yet. */
  public List<Fault> lacking() {
    EnumMap<Fault, Integer> shown = new EnumMap<>(Fault.class);
    shown.put(Fault.ZOMBIE_JOB, recorder.count(Event.Late.class));
    shown.put(Fault.STALE_MEMBER, recorder.count(Event.StaleStaged.class));
    shown.put(Fault.HANG, recorder.count(Event.Overdue.class));
    shown.values().removeIf(count -> count > 0);
    return List.copyOf(shown.keySet());
  }

  /** Transactional ids that end a transaction every moment. */
  public List<String> busyIds() {
    return List.of("player-1", "player-2", "quoter-1");
  }

  /** What keeps the work from being done, now that the faults are over; empty once all of it is. */
  public List<String> unfinished() {
    List<String> left = new ArrayList<>();
    writers.forEach(Writer::stop);
    writerThreads.stream()
        .filter(Thread::isAlive)
        .forEach(writer -> left.add(writer.getName() + " still writes"));
    left.addAll(shrinkage.unfinished());
    if (left.isEmpty()) {
      left.addAll(match.unfinished());
    }
    if (left.isEmpty()) {
      try {
        left.addAll(lags());
        left.addAll(openTransactions());
      } catch (KafkaException | IllegalStateException e) {
        left.add(e.toString());
      }
    }
    return left;
  }

  private List<String> lags() {
    List<String> left = new ArrayList<>();
    List<TopicPartition> partitions = new ArrayList<>();
    for (int i = 0; i < size.partitions; i++) {
      partitions.add(new TopicPartition(Pipeline.INPUT, i));
    }
    try (KafkaConsumer<String, String> committed = clients.observer("read_committed");
        KafkaConsumer<String, String> uncommitted = clients.observer("read_uncommitted")) {
      Map<TopicPartition, Long> ends = uncommitted.endOffsets(partitions);
      Map<TopicPartition, Long> stable = committed.endOffsets(partitions);
      Map<TopicPartition, OffsetAndMetadata> offsets =
          committed.committed(new HashSet<>(partitions));
      for (TopicPartition partition : partitions) {
        OffsetAndMetadata offset = offsets.get(partition);
        long end = Names.answer(ends, partition);
        long stableEnd = Names.answer(stable, partition);
        if (end != stableEnd) {
          left.add("%s ends at %d, and stable is %d".formatted(partition, end, stableEnd));
        }
        if (offset == null || !isRead(committed, partition, offset.offset())) {
          left.add("the group has not read all of " + partition + ": " + offset);
        }
      }
    }
    return left;
  }

  /** Whether nothing but markers and aborted records stands behind this offset. */
  private static boolean isRead(
      KafkaConsumer<String, String> committed, TopicPartition partition, long offset) {
    long end = Names.answer(committed.endOffsets(List.of(partition)), partition);
    committed.assign(List.of(partition));
    committed.seek(partition, offset);
    while (committed.position(partition) < end) {
      if (!committed.poll(Duration.ofMillis(100)).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private List<String> openTransactions() {
    try (Admin admin = clients.admin()) {
      Collection<TransactionListing> all = admin.listTransactions().all().get();
      return all.stream()
          .filter(
              it ->
                  it.state() != TransactionState.EMPTY
                      && it.state() != TransactionState.COMPLETE_COMMIT
                      && it.state() != TransactionState.COMPLETE_ABORT)
          .map(Object::toString)
          .toList();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Everybody ends, and everything is read once more from its start. */
  public void finish(Duration patience) throws InterruptedException {
    var unused = crew.finish(patience);
    observer.stop();
    for (Thread thread : others) {
      thread.join(patience.toMillis());
      if (thread.isAlive()) {
        recorder.trouble(thread.getName() + " does not end");
      }
    }
    readers.finish();
    Readers scan = new Readers(clients.bootstrap(), TOPICS, size.partitions, recorder);
    scan.start("-scan");
    scan.finish();
    shrinkage.scan();
    new Probes(clients, recorder, random.nextLong()).run(partitions());
  }

  private List<TopicPartition> partitions() {
    List<TopicPartition> partitions = new ArrayList<>();
    for (String topic : TOPICS) {
      for (int i = 0; i < size.partitions; i++) {
        partitions.add(new TopicPartition(topic, i));
      }
    }
    return partitions;
  }
}
