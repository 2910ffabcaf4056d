package io.fencepost.samples.cli;

/** What a command answers its caller with. */
final class ExitCode {
  /** All went well and every check held. */
  static final int OK = 0;

  /** The command ran, and a check failed. */
  static final int CHECK_FAILED = 1;

  /** The command could not run as it was asked to. */
  static final int USAGE = 2;

  private ExitCode() {}
}
