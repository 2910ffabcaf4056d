package io.fencepost.samples.labs;

import io.fencepost.samples.client.Clients;
import io.fencepost.samples.client.CommittedReader;
import io.fencepost.samples.client.RawLog;
import io.fencepost.samples.client.Sender;
import io.fencepost.samples.client.Session;
import io.fencepost.samples.report.Claim;
import io.fencepost.samples.report.Finding;
import io.fencepost.samples.report.LabReport;
import io.fencepost.samples.report.Table;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Two transactions and a plain producer write to one partition in turns. After each step: the log
 * with its control markers, the last stable offset, the high watermark, and what readers of either
 * isolation get.
 */
public final class TransactionLab {
  private static final long INPUT_OFFSET = 7;

  private final Session session;
  private final String topic;
  private final String group;
  private final TopicPartition partition;
  private final TopicPartition input;
  private final String run;
  private final Table table =
      new Table(
          "STEP",
          "WHAT HAPPENS",
          "LOG",
          "LSO",
          "HW",
          "READ_COMMITTED",
          "READ_UNCOMMITTED",
          "OFFSET");

  private final List<State> states = new ArrayList<>();

  /** A lab on this cluster; {@code run} keeps its names apart from those of other runs. */
  public TransactionLab(Session session, String run) {
    this.session = session;
    this.run = run;
    this.topic = session.name("lab-transaction", run);
    this.group = session.name("lab-transaction-group", run);
    this.partition = new TopicPartition(topic, 0);
    this.input = new TopicPartition(session.name("lab-transaction-in", run), 0);
  }

  /**
   * How everything stands after a step.
   *
   * @param log records by their values, markers in brackets
   * @param stableEnd the last stable offset
   * @param end the high watermark
   * @param offset committed by the group, or "none"
   */
  private record State(
      List<String> log,
      long stableEnd,
      long end,
      List<String> committed,
      List<String> uncommitted,
      String offset) {}

  /** Runs the lab. */
  public LabReport run() {
    session.cluster().createTopics(List.of(topic, input.topic()), 1);
    try {
      play();
      return report();
    } finally {
      session.cluster().deleteTopics(List.of(topic, input.topic()));
      session.cluster().deleteGroups(List.of(group));
    }
  }

  private void play() {
    String bootstrap = session.cluster().bootstrap();
    Node leader = session.cluster().leaderOf(partition);
    try (RawClient raw = RawClient.connect(new Endpoint(leader.host(), leader.port()));
        KafkaProducer<String, String> plain =
            Clients.producer(Clients.producerSettings(bootstrap));
        KafkaProducer<String, String> a = Clients.transactional(bootstrap, id("A"));
        KafkaProducer<String, String> b = Clients.transactional(bootstrap, id("B"));
        KafkaConsumer<String, String> committed = reader("read_committed");
        KafkaConsumer<String, String> uncommitted = reader("read_uncommitted");
        KafkaConsumer<String, String> member = Clients.consumer(bootstrap, group)) {
      Look look = new Look(raw, committed, uncommitted);
      a.initTransactions();
      b.initTransactions();
      send(plain, "p1");
      look.after("a plain producer sends p1", 1);
      a.beginTransaction();
      look.after("A begins: only its client knows", 1);
      send(a, "a1");
      look.after("A sends a1", 2);
      b.beginTransaction();
      send(b, "b1");
      look.after("B begins and sends b1", 3);
      send(plain, "p2");
      look.after("the plain producer sends p2", 4);
      a.sendOffsetsToTransaction(
          Map.of(input, new OffsetAndMetadata(INPUT_OFFSET)), member.groupMetadata());
      look.after("A sends offset 7 of its group", 4);
      a.commitTransaction();
      look.settled = true;
      look.after("A commits", 5);
      send(b, "b2");
      look.after("B sends b2", 6);
      b.abortTransaction();
      look.after("B aborts", 7);
      send(plain, "p3");
      look.after("the plain producer sends p3", 8);
    }
  }

  private String id(String name) {
    return session.name("lab-transaction-" + name, run);
  }

  private KafkaConsumer<String, String> reader(String isolation) {
    Properties settings = Clients.consumerSettings(session.cluster().bootstrap());
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation);
    KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    consumer.assign(List.of(partition));
    return consumer;
  }

  private void send(KafkaProducer<String, String> producer, String value) {
    Sender<String, String> sender = new Sender<>(producer);
    sender.send(new ProducerRecord<>(topic, 0, null, value));
    sender.awaitAll();
  }

  /** Looks at the partition in all ways there are. */
  private final class Look {
    private final RawClient raw;
    private final KafkaConsumer<String, String> committed;
    private final KafkaConsumer<String, String> uncommitted;

    /** The transaction with the offset has ended: its markers are on their way at least. */
    private boolean settled;

    Look(
        RawClient raw,
        KafkaConsumer<String, String> committed,
        KafkaConsumer<String, String> uncommitted) {
      this.raw = raw;
      this.committed = committed;
      this.uncommitted = uncommitted;
    }

    /** Notes how all stands once the log ends there. */
    void after(String what, long end) {
      List<String> log = names(RawLog.readOnce(raw, partition, end - 1).entries());
      Map<TopicPartition, Long> offsets =
          settled ? session.cluster().settled(group) : session.cluster().committed(group);
      Long offset = offsets.get(input);
      State state =
          new State(
              log,
              end(committed),
              end(uncommitted),
              read(committed),
              read(uncommitted),
              offset == null ? "none" : offset.toString());
      states.add(state);
      table.row(
          Integer.toString(states.size()),
          what,
          String.join(" ", state.log),
          Long.toString(state.stableEnd),
          Long.toString(state.end),
          String.join(" ", state.committed),
          String.join(" ", state.uncommitted),
          state.offset);
    }

    private long end(KafkaConsumer<String, String> consumer) {
      return consumer.endOffsets(List.of(partition)).getOrDefault(partition, -1L);
    }

    private static List<String> read(KafkaConsumer<String, String> consumer) {
      List<String> values = new ArrayList<>();
      CommittedReader.toEnd(consumer, record -> values.add(record.value()));
      return values;
    }
  }

  /** Markers carry a producer id only; whose it is the records before tell. */
  private static List<String> names(List<RawLog.Entry> entries) {
    TreeMap<Long, String> producers = new TreeMap<>();
    List<String> names = new ArrayList<>();
    for (RawLog.Entry entry : entries) {
      if (entry.marker() == null) {
        producers.put(entry.producerId(), entry.text().startsWith("a") ? "A" : "B");
        names.add(entry.text());
      } else {
        String end = entry.marker().commit() ? "commit " : "abort ";
        names.add("[" + end + producers.get(entry.producerId()) + "]");
      }
    }
    return names;
  }

  private LabReport report() {
    return new LabReport(
        "transaction",
        List.of(
            "One partition, two transactions A and B, and a plain producer.",
            "LOG shows the record at each offset from 0 on; a marker in brackets has an offset too."
                + " LSO and HW are exclusive."),
        null,
        table,
        List.of(
            "The same, but a commit returns once it is decided: its markers, and so the LSO, follow"
                + " a moment later. Here they are in."),
        new Claim(
            "a transaction's records and offsets become visible together, in the order of the log.",
            "records and offsets of one transaction; each partition has a marker of its own",
            "read_committed stops at the LSO, before the first open transaction of the partition,"
                + " and leaves out what was aborted; read_uncommitted stops at the HW",
            "acks=all, idempotent",
            "two partitions at one moment: a reader may get the transaction's records of one before"
                + " those of the other"),
        findings());
  }

  private List<Finding> findings() {
    State bothOpen = states.get(4);
    State staged = states.get(5);
    State oneOpen = states.get(6);
    State end = states.get(states.size() - 1);
    return List.of(
        Finding.of(
            "the LSO stands before the first open transaction, the HW does not",
            bothOpen.stableEnd == 1 && bothOpen.end == 4,
            "LSO %d, HW %d while A is open at offset 1"
                .formatted(bothOpen.stableEnd, bothOpen.end)),
        Finding.of(
            "even a plain record waits behind an open transaction",
            !oneOpen.committed.contains("p2") && end.committed.contains("p2"),
            "p2 is read after B has ended, not before"),
        Finding.of(
            "A is visible with its commit, its offset too",
            !staged.committed.contains("a1")
                && staged.offset.equals("none")
                && oneOpen.committed.contains("a1")
                && oneOpen.offset.equals("7"),
            "a1 and offset 7 after step 7, neither before"),
        Finding.of(
            "nothing of B is ever read_committed",
            states.stream().noneMatch(s -> s.committed.toString().contains("b")),
            "read_committed ends with " + String.join(" ", end.committed)),
        Finding.of(
            "read_uncommitted gets everything, aborted or not",
            end.uncommitted.equals(List.of("p1", "a1", "b1", "p2", "b2", "p3")),
            String.join(" ", end.uncommitted)),
        Finding.of(
            "each marker takes an offset that no reader gets",
            end.end == end.uncommitted.size() + 2,
            "%d records, 2 markers, HW %d".formatted(end.uncommitted.size(), end.end)));
  }
}
