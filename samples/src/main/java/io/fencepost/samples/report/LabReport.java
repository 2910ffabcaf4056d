package io.fencepost.samples.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a lab did and found: its setting, its figures or its timeline, the claim, the verdict. */
public record LabReport(
    String lab,
    List<String> setting,
    @Nullable Facts figures,
    @Nullable Table timeline,
    Claim claim,
    List<Finding> findings) {

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
    return text.append(Finding.text(findings)).append('\n').append(claim).toString();
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
    object.put("claim", claim.toObject());
    object.put("passed", passes());
    return object;
  }
}
