package io.fencepost.samples.labs;

import io.fencepost.broker.wire.WireError;
import io.fencepost.samples.client.RawProducer;
import io.fencepost.samples.client.Session;
import io.fencepost.samples.report.Claim;
import io.fencepost.samples.report.Finding;
import io.fencepost.samples.report.LabReport;
import io.fencepost.samples.report.Table;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import java.util.ArrayList;
import java.util.List;

/**
 * Hand-made batches of one producer in one partition. A batch that is sent again under the same
 * producer id, epoch and sequence gets the first answer again, and the log does not grow; a new
 * sequence is a new record, whatever its bytes; a sequence that skips one is refused.
 */
public final class ExactRetryLab {
  private final Session session;
  private final String topic;
  private final Table timeline =
      new Table("STEP", "SENDS", "SEQUENCE", "ANSWER", "OFFSET", "LOG END");
  private final List<Finding> findings = new ArrayList<>();
  private int step;

  /** A lab on this cluster; {@code run} keeps its names apart from those of other runs. */
  public ExactRetryLab(Session session, String run) {
    this.session = session;
    this.topic = session.name("lab-exact-retry", run);
  }

  /** What one batch was answered, and where the log ends after it. */
  private record Answer(WireError error, long offset, long logEnd) {
    boolean is(WireError expected, long expectedOffset, long expectedEnd) {
      return error == expected
          && logEnd == expectedEnd
          && (expected != WireError.NONE || offset == expectedOffset);
    }
  }

  /** A batch of one record, and what must come of it. */
  private record Step(
      String sends, int sequence, String value, WireError error, long offset, long logEnd) {}

  /** Runs the lab. */
  public LabReport run() {
    session.cluster().createTopics(List.of(topic), 1);
    Endpoint broker =
        new Endpoint(session.cluster().node().host(), session.cluster().node().port());
    try (RawClient client = RawClient.connect(broker)) {
      RawProducer producer = RawProducer.init(client);
      check(client, producer, "the first batch is appended", FIRST);
      check(client, producer, "an exact retry answers the same offset, the log end stays", RETRY);
      check(client, producer, "the next sequence is appended, equal bytes or not", NEXT);
      check(client, producer, "a gap is refused", GAP);
      check(client, producer, "a retry of the fifth batch back is recognised", WINDOW);
      check(client, producer, "a retry of the sixth batch back is refused, not appended", BEYOND);
      return report(producer);
    } finally {
      session.cluster().deleteTopics(List.of(topic));
    }
  }

  private static final List<Step> FIRST =
      List.of(new Step("the first batch", 0, "pay 10", WireError.NONE, 0, 1));
  private static final List<Step> RETRY =
      List.of(new Step("the same batch again", 0, "pay 10", WireError.NONE, 0, 1));
  private static final List<Step> NEXT =
      List.of(new Step("the same bytes, next sequence", 1, "pay 10", WireError.NONE, 1, 2));
  private static final List<Step> GAP =
      List.of(
          new Step(
              "a batch after a gap", 5, "pay 30", WireError.OUT_OF_ORDER_SEQUENCE_NUMBER, -1, 2));
  private static final List<Step> WINDOW =
      List.of(
          new Step("the next batch", 2, "pay 40", WireError.NONE, 2, 3),
          new Step("the next batch", 3, "pay 50", WireError.NONE, 3, 4),
          new Step("the next batch", 4, "pay 60", WireError.NONE, 4, 5),
          new Step("the next batch", 5, "pay 70", WireError.NONE, 5, 6),
          new Step("the fifth batch back again", 1, "pay 10", WireError.NONE, 1, 6));
  private static final List<Step> BEYOND =
      List.of(
          new Step(
              "the sixth batch back again",
              0,
              "pay 10",
              WireError.OUT_OF_ORDER_SEQUENCE_NUMBER,
              -1,
              6));

  private void check(RawClient client, RawProducer producer, String claim, List<Step> steps) {
    boolean holds = true;
    String figures = "";
    for (Step next : steps) {
      Answer answer = send(client, producer, next);
      holds &= answer.is(next.error(), next.offset(), next.logEnd());
      figures =
          "%s, offset %d, log end %d".formatted(answer.error(), answer.offset(), answer.logEnd());
    }
    findings.add(Finding.of(claim, holds, figures));
  }

  private Answer send(RawClient client, RawProducer producer, Step next) {
    RawProducer.Answer answer = producer.send(client, topic, next.sequence(), next.value());
    long logEnd = session.cluster().endOffsetSum(topic);
    step++;
    timeline.row(
        Integer.toString(step),
        next.sends() + " (" + next.value() + ")",
        Integer.toString(next.sequence()),
        answer.error().name(),
        Long.toString(answer.offset()),
        Long.toString(logEnd));
    return new Answer(answer.error(), answer.offset(), logEnd);
  }

  private LabReport report(RawProducer producer) {
    return new LabReport(
        "exact-retry",
        List.of(
            "Raw batches of producer id %d, epoch %d, to partition 0 of %s."
                .formatted(producer.producerId(), producer.epoch(), topic)),
        null,
        timeline,
        new Claim(
            "a batch is known by producer id, epoch and sequence, not by its bytes.",
            "batches of one producer id and epoch in one partition, the last five of them",
            "any reader; nothing here is transactional",
            "acks=all; the retry is ours, byte for byte",
            "a sixth batch back, and a new producer id: that is another producer, and its first"
                + " batch is new"),
        findings);
  }
}
