package io.fencepost.testkit.tour;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Takes out of an answer what no two runs have in common: ids, addresses, times, directories. */
public final class Normal {
  private static final Map<Pattern, String> RULES = rules();

  private Normal() {}

  private static Map<Pattern, String> rules() {
    Map<Pattern, String> rules = new LinkedHashMap<>();
    // Columns are as wide as what this run has in them.
    rules.put(Pattern.compile(" +\t"), "\t");
    rules.put(
        Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UUID");
    rules.put(
        Pattern.compile("((?:[Tt]opicId|Cluster ?I[Dd])[:=]\\s*)[A-Za-z0-9_-]{22}\\b"), "$1ID");
    rules.put(Pattern.compile("\\b1[78]\\d{11}\\b"), "TIME");
    rules.put(Pattern.compile("/tmp/[^\\s\",;\\])}]*"), "DIR");
    rules.put(Pattern.compile("/?\\b127\\.0\\.0\\.1\\b"), "HOST");
    rules.put(Pattern.compile("\\b20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d:\\d{3}"), "WHEN");
    rules.put(Pattern.compile("records sent, .*"), "records sent, SPEED");
    rules.put(
        Pattern.compile("WHEN, WHEN, ([0-9.]+), [0-9.]+, ([0-9]+), .*"),
        "WHEN, WHEN, $1, SPEED, $2, SPEED");
    rules.put(Pattern.compile("TIME(\\s+)[0-9]+\\b"), "TIME$1DURATION");
    rules.put(Pattern.compile("\"size\":[1-9][0-9]*"), "\"size\":BYTES");
    rules.put(Pattern.compile("Epoch: [0-9]+"), "Epoch: EPOCH");
    rules.put(Pattern.compile("(HighWatermark: +)[0-9]+"), "$1OFFSET");
    rules.put(Pattern.compile("CONTROLLER://localhost:[0-9]+"), "CONTROLLER");
    rules.put(Pattern.compile("A{22}\\s+[0-9]+\\s+"), "DIRECTORY OFFSET ");
    rules.put(Pattern.compile("\\bkafka-[0-9]\\.[0-9]\\.[0-9]\\b"), "VERSION");
    return rules;
  }

  /** The lines of a text without its last empty ones; this address becomes BROKER. */
  public static List<String> lines(String text, String bootstrapServers) {
    String port = bootstrapServers.substring(bootstrapServers.lastIndexOf(':') + 1);
    String normal =
        text.replace(bootstrapServers, "BROKER").replaceAll("\\b" + port + "\\b", "PORT");
    for (Map.Entry<Pattern, String> rule : RULES.entrySet()) {
      normal = rule.getKey().matcher(normal).replaceAll(rule.getValue());
    }
    List<String> lines = new ArrayList<>();
    normal.stripTrailing().lines().map(String::stripTrailing).forEach(lines::add);
    return lines;
  }
}
