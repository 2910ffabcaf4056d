package io.fencepost.testkit.junit;

import java.io.Console;
import org.jspecify.annotations.Nullable;

/** Colours, where somebody sees them. */
final class Terminal {
  private static final String END = "\u001b[0m";

  private Terminal() {}

  /** On a terminal without NO_COLOR. A build tool's test process has none. */
  static boolean isColoured() {
    String noColor = System.getenv("NO_COLOR");
    return (noColor == null || noColor.isEmpty()) && isTerminal(System.console());
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
