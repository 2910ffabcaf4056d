package io.fencepost.broker.config;

import java.util.function.Function;

/** The type of a setting, with its number in DescribeConfigs. */
public enum ConfigType {
  BOOLEAN(1, "true or false", ConfigType::isBoolean),
  STRING(2, "a string", text -> true),
  INT(3, "a 32-bit integer", text -> parses(Integer::valueOf, text)),
  SHORT(4, "a 16-bit integer", text -> parses(Short::valueOf, text)),
  LONG(5, "a 64-bit integer", text -> parses(Long::valueOf, text)),
  DOUBLE(6, "a number", text -> parses(Double::valueOf, text)),
  LIST(7, "a list", text -> true);

  /** Whether a text is a value of the type. */
  private interface Check {
    boolean accepts(String text);
  }

  private final byte code;
  private final String noun;

  @SuppressWarnings("ImmutableEnumChecker") // the checks are stateless lambdas
  private final Check check;

  ConfigType(int code, String noun, Check check) {
    this.code = (byte) code;
    this.noun = noun;
    this.check = check;
  }

  public byte code() {
    return code;
  }

  String noun() {
    return noun;
  }

  boolean accepts(String text) {
    return check.accepts(text);
  }

  private static boolean isBoolean(String text) {
    return text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false");
  }

  private static boolean parses(Function<String, ?> parser, String text) {
    try {
      return parser.apply(text) != null;
    } catch (NumberFormatException notOfThisType) {
      return false;
    }
  }
}
