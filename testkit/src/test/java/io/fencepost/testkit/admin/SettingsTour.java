package io.fencepost.testkit.admin;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.common.config.ConfigResource;

/** Settings of topics and brokers as Admin of kafka-clients 2.8 sees and changes them. */
@SuppressWarnings("FutureReturnValueIgnored") // Told looks into them
final class SettingsTour {
  private static final int BROKER = 1;

  private final Admin admin;
  private final Told told;

  SettingsTour(Admin admin, Told told) {
    this.admin = admin;
    this.told = told;
  }

  void run(String changed, String unchanged) {
    ConfigResource a = new ConfigResource(ConfigResource.Type.TOPIC, changed);
    ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "" + BROKER);
    told.step("describeConfigs of a topic", () -> settings(a, ""));
    told.step(
        "describeConfigs of a broker",
        () ->
            settings(
                broker,
                "log.retention.ms log.retention.hours message.max.bytes num.partitions"
                    + " log.cleanup.policy compression.type node.id"));
    told.step(
        "describeConfigs of others",
        () ->
            admin
                .describeConfigs(
                    List.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, "none"),
                        new ConfigResource(ConfigResource.Type.TOPIC, "bad/name")))
                .values());
    incremental(a, "SET", new ConfigEntry("retention.ms", "5000000000000"));
    incremental(a, "APPEND", new ConfigEntry("cleanup.policy", "compact"));
    incremental(a, "SUBTRACT", new ConfigEntry("cleanup.policy", "compact"));
    incremental(a, "DELETE", new ConfigEntry("cleanup.policy", ""));
    incremental(a, "APPEND", new ConfigEntry("retention.ms", "5"));
    incremental(a, "SET", new ConfigEntry("nothing", "5"));
    incremental(
        new ConfigResource(ConfigResource.Type.TOPIC, "none"),
        "SET",
        new ConfigEntry("retention.ms", "5"));
    told.step("describeConfigs after that", () -> settings(a, "retention.ms cleanup.policy"));
    incremental(broker, "SET", new ConfigEntry("log.retention.ms", "7000000"));
    incremental(broker, "SET", new ConfigEntry("node.id", "2"));
    awaitSetting(broker, "log.retention.ms", "7000000");
    awaitSetting(
        new ConfigResource(ConfigResource.Type.TOPIC, unchanged), "retention.ms", "7000000");
    told.step("describeConfigs of the changed broker", () -> settings(broker, "log.retention.ms"));
    told.step(
        "describeConfigs of a topic of the changed broker",
        () -> settings(new ConfigResource(ConfigResource.Type.TOPIC, unchanged), "retention.ms"));
    incremental(broker, "DELETE", new ConfigEntry("log.retention.ms", ""));
    awaitSetting(broker, "log.retention.ms", "null");
    told.step(
        "alterConfigs of a topic",
        () -> alterConfigs(a, List.of(new ConfigEntry("retention.ms", "-1"))));
    told.step("alterConfigs of a broker", () -> alterConfigs(broker, List.of()));
    told.step("describeConfigs at last", () -> settings(a, "retention.ms cleanup.policy"));
  }

  private void incremental(ConfigResource resource, String operation, ConfigEntry entry) {
    told.step(
        "incrementalAlterConfigs " + resource + " " + operation + " " + entry.name(),
        () ->
            admin
                .incrementalAlterConfigs(
                    Map.of(resource, List.of(new AlterConfigOp(entry, OpType.valueOf(operation)))))
                .values());
  }

  /** Gone from Admin since 4.0, still answered by brokers. */
  private Object alterConfigs(ConfigResource resource, List<ConfigEntry> entries) throws Exception {
    Object result =
        Admin.class
            .getMethod("alterConfigs", Map.class)
            .invoke(admin, Map.of(resource, new Config(entries)));
    return Told.of(result, "values");
  }

  /** Settings by name, or those that are the same in every broker. */
  private List<String> settings(ConfigResource resource, String names) throws Exception {
    Config config =
        admin
            .describeConfigs(
                List.of(resource),
                new DescribeConfigsOptions().includeSynonyms(true).includeDocumentation(true))
            .values()
            .get(resource)
            .get();
    List<String> lines = new ArrayList<>();
    for (ConfigEntry entry : config.entries()) {
      if (names.isEmpty() || List.of(names.split(" ")).contains(entry.name())) {
        String documented = entry.documentation() == null ? " undocumented" : "";
        lines.add(
            "%s=%s %s%s %s %s%s"
                .formatted(
                    entry.name(),
                    entry.value(),
                    entry.source(),
                    entry.isReadOnly() ? " read-only" : "",
                    entry.type(),
                    entry.synonyms().stream()
                        .map(each -> each.name() + "=" + each.value())
                        .toList(),
                    documented));
      }
    }
    Collections.sort(lines);
    return lines;
  }

  /** Some brokers make a change of settings come true after they answered it. */
  private void awaitSetting(ConfigResource resource, String name, String value) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    String now;
    do {
      try {
        ConfigEntry entry =
            admin.describeConfigs(List.of(resource)).values().get(resource).get().get(name);
        now = String.valueOf(entry == null ? null : entry.value());
      } catch (InterruptedException | ExecutionException failed) {
        now = failed.toString();
      }
    } while (!value.equals(now) && System.nanoTime() < deadline);
  }
}
