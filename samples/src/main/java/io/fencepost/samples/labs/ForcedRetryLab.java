package io.fencepost.samples.labs;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.samples.client.Clients;
import io.fencepost.samples.client.CommittedReader;
import io.fencepost.samples.client.Session;
import io.fencepost.samples.report.Claim;
import io.fencepost.samples.report.Facts;
import io.fencepost.samples.report.Finding;
import io.fencepost.samples.report.LabReport;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A producer behind a network that loses answers. The broker has written the record, the client
 * hears nothing and sends it again: with idempotence the log holds it once, without it twice. One
 * record is in flight at a time, so that each has a history of its own.
 */
public final class ForcedRetryLab {
  private final Session session;
  private final String topic;
  private final Options options;

  /** What the lab can be asked to do. */
  public record Options(
      int messages,
      double dropRate,
      boolean idempotent,
      int retries,
      Duration deliveryTimeout,
      long seed) {}

  /** What the client saw. */
  private record Sent(long acknowledged, long failed, Map<String, Integer> errors) {}

  /** A lab on this cluster; {@code run} keeps its names apart from those of other runs. */
  public ForcedRetryLab(Session session, String run, Options options) {
    this.session = session;
    this.topic = session.name("lab-forced-retry", run);
    this.options = options;
  }

  /** Runs the lab. */
  public LabReport run() {
    session.cluster().createTopics(List.of(topic), 1);
    try (FaultProxy proxy = FaultProxy.start(session.cluster().bootstrap(), plan())) {
      long before = session.cluster().endOffsetSum(topic);
      long begun = System.nanoTime();
      Sent sent = sendAll(proxy.bootstrapServers());
      Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
      long delta = session.cluster().endOffsetSum(topic) - before;
      return report(sent, delta, proxy.faults().fired().size(), elapsed);
    } finally {
      session.cluster().deleteTopics(List.of(topic));
    }
  }

  private FaultPlan plan() {
    return options.dropRate() == 0
        ? FaultPlan.NONE
        : FaultPlan.at(ApiKey.PRODUCE).rate(options.dropRate(), options.seed()).answerLost();
  }

  private Sent sendAll(String bootstrap) {
    long acknowledged = 0;
    long failed = 0;
    Map<String, Integer> errors = new TreeMap<>();
    try (KafkaProducer<String, String> producer = Clients.producer(settings(bootstrap))) {
      for (int i = 0; i < options.messages(); i++) {
        String key = "order-%04d".formatted(i);
        try {
          producer.send(new ProducerRecord<>(topic, key, "payment-%04d".formatted(i))).get();
          acknowledged++;
        } catch (ExecutionException e) {
          failed++;
          Throwable cause = e.getCause() == null ? e : e.getCause();
          errors.merge(cause.getClass().getSimpleName(), 1, Integer::sum);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new InterruptException(e);
        }
      }
    }
    return new Sent(acknowledged, failed, errors);
  }

  private Properties settings(String bootstrap) {
    Properties settings = Clients.producerSettings(bootstrap);
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, Boolean.toString(options.idempotent()));
    settings.put(ProducerConfig.RETRIES_CONFIG, Integer.toString(options.retries()));
    long deliveryTimeoutMs = options.deliveryTimeout().toMillis();
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Long.toString(deliveryTimeoutMs));
    settings.put(
        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
        Long.toString(Math.min(10_000, deliveryTimeoutMs)));
    settings.put(ProducerConfig.LINGER_MS_CONFIG, "0");
    settings.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, "10");
    settings.put(ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, "100");
    settings.put(ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG, "10");
    settings.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "50");
    return settings;
  }

  private LabReport report(Sent sent, long delta, long dropped, Duration elapsed) {
    Map<String, Integer> copies = new TreeMap<>();
    CommittedReader.readAll(
        session.cluster().bootstrap(),
        topic,
        new StringDeserializer(),
        record -> copies.merge(record.key(), 1, Integer::sum));
    long duplicates = delta - copies.size();
    Facts facts =
        new Facts()
            .add("intended", options.messages())
            .add("client SENT", sent.acknowledged())
            .add("client FAILED", sent.failed())
            .add("log delta", delta)
            .add("duplicates", duplicates)
            .add("reads dropped", dropped)
            .add("elapsed", "%.3fs".formatted(elapsed.toMillis() / 1000.0));
    sent.errors().forEach((error, count) -> facts.add("failed with " + error, count));
    return new LabReport(
        "forced-retry",
        List.of(
            "idempotent=%s drop-rate=%s delivery-timeout=%ds retries=%d seed=%d topic=%s"
                .formatted(
                    options.idempotent(),
                    options.dropRate(),
                    options.deliveryTimeout().toSeconds(),
                    options.retries(),
                    options.seed(),
                    topic)),
        facts,
        null,
        claim(),
        List.of(duplicatesFinding(sent, duplicates, dropped), nothingLost(sent, copies)));
  }

  private Finding duplicatesFinding(Sent sent, long duplicates, long dropped) {
    String figures = duplicates + " duplicates, " + dropped + " reads dropped";
    String claim =
        options.idempotent()
            ? "a retry adds nothing to the log"
            : "each lost answer adds a duplicate to the log";
    if (dropped == 0) {
      return new Finding(claim, Finding.Verdict.VACUOUS, figures);
    }
    // A record that was given up has at least one lost answer that no retry has repeated.
    boolean holds =
        options.idempotent()
            ? duplicates == 0
            : duplicates <= dropped && duplicates >= dropped - sent.failed();
    return Finding.of(claim, holds, figures);
  }

  private static Finding nothingLost(Sent sent, Map<String, Integer> copies) {
    return Finding.of(
        "every acknowledged record is in the log",
        copies.size() >= sent.acknowledged(),
        sent.acknowledged() + " acknowledged, " + copies.size() + " in the log");
  }

  private Claim claim() {
    return options.idempotent()
        ? new Claim(
            "a producer's own retries leave one copy of each record in its partition.",
            "records of one producer session in one partition",
            "any reader; nothing here is transactional",
            "acks=all, enable.idempotence=true, the client retries until delivery.timeout.ms",
            "a producer that was restarted and sends again, records that the application sends"
                + " twice, and what a consumer does with them")
        : new Claim(
            "without idempotence a lost answer is a second copy, and the client still calls it"
                + " sent.",
            "records of one producer in one partition",
            "any reader; nothing here is transactional",
            "acks=all, enable.idempotence=false, the client retries until delivery.timeout.ms",
            "nothing guards against duplicates here; this is what idempotence is for");
  }
}
