package io.fencepost.samples.report;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A statement about delivery with its limits: what it counts, what a reader must do, how writes are
 * acknowledged and retried, and what it leaves out. Without these four it would be a slogan.
 */
public record Claim(
    String statement, String unit, String isolation, String acknowledgement, String notCovered) {

  /** The claim as lines for people. */
  @Override
  public String toString() {
    return """
    Claim: %s
      unit             %s
      isolation        %s
      acknowledgement  %s
      not covered      %s
    """
        .formatted(statement, unit, isolation, acknowledgement, notCovered);
  }

  Map<String, String> toObject() {
    Map<String, String> object = new LinkedHashMap<>();
    object.put("statement", statement);
    object.put("unit", unit);
    object.put("isolation", isolation);
    object.put("acknowledgement", acknowledgement);
    object.put("not_covered", notCovered);
    return object;
  }
}
