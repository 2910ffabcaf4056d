package io.fencepost.samples.client;

import io.fencepost.samples.dedup.PaymentDedupJob;
import io.fencepost.samples.dedup.PaymentTopics;
import io.fencepost.samples.payment.DedupKey;
import io.fencepost.samples.payment.InputFold;
import io.fencepost.samples.payment.LedgerCheck;
import io.fencepost.samples.payment.PaymentGenerator;
import io.fencepost.samples.payment.Redeliveries;
import io.fencepost.samples.report.Finding;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.prove.main.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The payment job with generated rows, a part of which the gateway delivers twice. */
public final class PaymentsSubject implements Subject {
  private static final int PARTITIONS = 2;
  private static final double REDELIVERED = 0.1;

  private final PaymentTopics topics = PaymentTopics.withSuffix("");
  private final String application = PaymentDedupJob.define().name();
  private final String changelog =
      PaymentDedupJob.define().stores().get(0).changelogTopic(application);
  private final ConcurrentHashMap<String, InputFold> inputs = new ConcurrentHashMap<>();
  private final int rows;
  private final long seed;

  /** So many rows, by a seed. */
  public PaymentsSubject(int rows, long seed) {
    this.rows = rows;
    this.seed = seed;
  }

  @Override
  public String name() {
    return "payments";
  }

  @Override
  public String jobClass() {
    return PaymentDedupJob.class.getName();
  }

  @Override
  public String classPath() {
    return "";
  }

  @Override
  public String application() {
    return application;
  }

  @Override
  public List<String> inputs() {
    return List.of(topics.payments());
  }

  @Override
  public List<String> outputs() {
    List<String> outputs = new ArrayList<>(topics.names());
    outputs.remove(topics.payments());
    return outputs;
  }

  @Override
  public int partitions() {
    return PARTITIONS;
  }

  @Override
  public void publish(String bootstrap) {
    inputs.put(
        bootstrap,
        PaymentPublisher.publish(
            bootstrap,
            topics.payments(),
            new Redeliveries(new PaymentGenerator(seed, rows), REDELIVERED, seed),
            DedupKey.TRANSACTION_NUMBER,
            count -> {}));
  }

  @Override
  public List<String> audited() {
    return List.of(changelog);
  }

  /** P4 to P6: each key once, money conserved to the penny, state = fold of the input. */
  @Override
  public SortedMap<String, Verdict> audit(
      String bootstrap, List<ConsumerRecord<byte[], byte[]>> records) {
    InputFold input = inputs.get(bootstrap);
    if (input == null) {
      throw new IllegalStateException("no input was published to " + bootstrap);
    }
    List<Finding> findings =
        LedgerCheck.compare(input, PaymentOutcome.of(records, topics, changelog));
    TreeMap<String, Verdict> verdicts = new TreeMap<>();
    List<String> ids = List.of("P4", "P4", "P5", "P4", "P6");
    for (int i = 0; i < findings.size(); i++) {
      Finding finding = findings.get(i);
      verdicts.merge(
          ids.get(i),
          finding.verdict() == Finding.Verdict.HOLDS
              ? new Verdict.Pass(input.deliveries())
              : Verdict.broken(finding.claim() + ": " + finding.figures()),
          (old, other) -> old instanceof Verdict.Fail ? old : other);
    }
    return verdicts;
  }
}
