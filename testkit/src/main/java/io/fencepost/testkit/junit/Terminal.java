package io.fencepost.testkit.junit;

import java.io.Console;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Colours, where somebody sees them. */
final class Terminal {
  private static final String END = "\u001b[0m";

  private Terminal() {}

  /** A build tool's test process has no terminal, so the environment may ask for colours. */
  static boolean isColoured() {
    return isColoured(System.getenv(), isTerminal(System.console()));
  }

  /** NO_COLOR counts before CLICOLOR_FORCE and FORCE_COLOR, and these before the terminal. */
  static boolean isColoured(Map<String, String> environment, boolean isTerminal) {
    if (!environment.getOrDefault("NO_COLOR", "").isEmpty()) {
      return false;
    }
    return isTerminal
        || isOn(environment.get("CLICOLOR_FORCE"))
        || isOn(environment.get("FORCE_COLOR"));
  }

  private static boolean isOn(@Nullable String flag) {
    return flag != null && !flag.isEmpty() && !flag.equals("0");
  }

  /** From Java 22 on there is a console without a terminal too, and it says so. */
  private static boolean isTerminal(@Nullable Console console) {
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException e) {
      return true;
    }
  }

  static String bold(String text) {
    return "\u001b[1m" + text + END;
  }

  static String green(String text) {
    return "\u001b[32m" + text + END;
  }

  static String red(String text) {
    return "\u001b[31m" + text + END;
  }

  static String yellow(String text) {
    return "\u001b[33m" + text + END;
  }

  static String dim(String text) {
    return "\u001b[2m" + text + END;
  }
}
