package io.fencepost.samples.cli;

import picocli.CommandLine.Option;

/** The --verbose option, the same for every command. */
final class Verbosity {
  /** Read by {@link Logging} when the first logger is made, so it must be set before. */
  static final String PROPERTY = "fencepost.verbose";

  /** Picocli sets it while parsing. */
  @Option(
      names = {"-v", "--verbose"},
      description = "Log what happens to stderr, and show stack traces.")
  void verbose(boolean wanted) {
    System.setProperty(PROPERTY, Boolean.toString(wanted));
  }

  static boolean isVerbose() {
    return Boolean.getBoolean(PROPERTY);
  }
}
