package io.fencepost.samples.cli;

import picocli.CommandLine.Option;

/** The options that every command has. */
final class CommonOptions {
  /** Read by {@link Logging} when the first logger is made, so it must be set before. */
  private static final String VERBOSE = "fencepost.verbose";

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  /** Picocli calls it while parsing. */
  @Option(
      names = {"-v", "--verbose"},
      description = "Log what happens to stderr, and show stack traces.")
  void verbose(boolean wanted) {
    System.setProperty(VERBOSE, Boolean.toString(wanted));
  }

  static boolean isVerbose() {
    return Boolean.getBoolean(VERBOSE);
  }
}
