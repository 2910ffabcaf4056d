package io.fencepost.broker.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One setting: its name, type, default (null if there is none), the rule its values must keep, and
 * one sentence on what it does.
 */
public record ConfigKey(
    String name, ConfigType type, @Nullable String defaultValue, Rule rule, String doc) {

  /** What is wrong with a value of the right type, or null. */
  @FunctionalInterface
  public interface Rule {
    @Nullable String problem(String value);
  }

  /** The elements of a list value, without blanks around them. */
  public static List<String> elements(String value) {
    return value.isBlank() ? List.of() : List.of(value.trim().split("\\s*,\\s*", -1));
  }

  /** Why this value is refused, or null if it is fine. */
  public @Nullable String problem(String value) {
    String problem =
        type.accepts(value.trim()) ? rule.problem(value.trim()) : "is not " + type.noun();
    return problem == null
        ? null
        : "Invalid value " + value + " for configuration " + name + ": it " + problem;
  }
}
