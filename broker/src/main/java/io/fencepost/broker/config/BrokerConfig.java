package io.fencepost.broker.config;

import io.fencepost.broker.port.Invariant;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one broker under Kafka's names ({@link BrokerKeys} lists them), with defaults
 * that fit a single broker. Immutable; {@link #with} makes a changed copy.
 */
public final class BrokerConfig {
  private final SortedMap<String, String> explicit;

  private BrokerConfig(SortedMap<String, String> explicit) {
    this.explicit = explicit;
  }

  /** All defaults. */
  public static BrokerConfig defaults() {
    return new BrokerConfig(new TreeMap<>());
  }

  /**
   * @throws ConfigException if a key is unknown (names the nearest known one) or a value impossible
   */
  public static BrokerConfig of(Map<String, String> settings) {
    String problem = BrokerKeys.TABLE.problem("broker config", settings);
    if (problem != null) {
      throw new ConfigException(problem);
    }
    return new BrokerConfig(new TreeMap<>(settings));
  }

  public BrokerConfig with(String name, String value) {
    TreeMap<String, String> settings = new TreeMap<>(explicit);
    settings.put(name, value);
    return of(settings);
  }

  /** These settings in front of the present ones; they were checked when they were set. */
  public BrokerConfig overlaid(SortedMap<String, String> settings) {
    TreeMap<String, String> merged = new TreeMap<>(explicit);
    merged.putAll(settings);
    return new BrokerConfig(merged);
  }

  /** What was set, without defaults. */
  public SortedMap<String, String> explicit() {
    return Collections.unmodifiableSortedMap(explicit);
  }

  /** The value or the default; null if neither exists. */
  public @Nullable String find(String name) {
    ConfigKey key = BrokerKeys.TABLE.find(name);
    Invariant.check(key != null, "no broker setting is called %s", name);
    String value = explicit.get(name);
    return value != null || key == null ? value : key.defaultValue();
  }

  public String text(String name) {
    String value = find(name);
    if (value == null) {
      throw new ConfigException("The broker config " + name + " is needed and has no default");
    }
    return value;
  }

  public int intOf(String name) {
    return Integer.parseInt(text(name).trim());
  }

  public long longOf(String name) {
    return Long.parseLong(text(name).trim());
  }

  public boolean flag(String name) {
    return Boolean.parseBoolean(text(name).trim());
  }

  public int brokerId() {
    return intOf("node.id");
  }

  public FlushPolicy flush() {
    return FlushPolicy.of(text("flush"));
  }

  @Override
  public String toString() {
    return explicit.toString();
  }
}
