package io.fencepost.samples.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a lab did and found: its setting, its figures or its timeline, the claim, the verdict.
 *
 * @param onKafka what Apache Kafka would have done otherwise, a sentence each
 */
public record LabReport(
    String lab,
    List<String> setting,
    @Nullable Facts figures,
    @Nullable Table timeline,
    List<String> onKafka,
    Claim claim,
    List<Finding> findings) {

  /** A report of a lab that Apache Kafka runs in the same way. */
  public LabReport(
      String lab,
      List<String> setting,
      @Nullable Facts figures,
      @Nullable Table timeline,
      Claim claim,
      List<Finding> findings) {
    this(lab, setting, figures, timeline, List.of(), claim, findings);
  }

  /** Whether the exit code may be 0. */
  public boolean passes() {
    return Finding.noneFails(findings);
  }

  /** The report for people. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    setting.forEach(line -> text.append(line).append('\n'));
    text.append('\n');
    if (timeline != null) {
      text.append(timeline).append('\n');
    }
    if (figures != null) {
      text.append(figures).append('\n');
    }
    text.append(Finding.text(findings)).append('\n');
    if (!onKafka.isEmpty()) {
      text.append("On Apache Kafka 4.4:\n");
      onKafka.forEach(line -> text.append("  ").append(line).append('\n'));
      text.append('\n');
    }
    return text.append(claim).toString();
  }

  /** The report for programs. */
  public Map<String, Object> toObject() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("lab", lab);
    object.put("setting", setting);
    if (timeline != null) {
      object.put("timeline", timeline.toObjects());
    }
    if (figures != null) {
      object.put("figures", figures.toObject());
    }
    object.put("findings", Finding.toObjects(findings));
    if (!onKafka.isEmpty()) {
      object.put("on_apache_kafka", onKafka);
    }
    object.put("claim", claim.toObject());
    object.put("passed", passes());
    return object;
  }
}
