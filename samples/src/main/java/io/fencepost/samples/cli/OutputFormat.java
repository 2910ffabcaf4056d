package io.fencepost.samples.cli;

/** How a command prints its result. */
enum OutputFormat {
  /** A table for people. */
  TABLE,
  /** One JSON object on stdout. */
  JSON
}
