package io.fencepost.samples.cli;

import java.io.PrintWriter;
import java.io.Writer;
import picocli.CommandLine;

/**
 * Runs what people wait for, once, so that the launcher can put the loaded classes into its
 * archive. Its output goes nowhere and its failures cost speed only.
 */
final class WarmUp {
  private WarmUp() {}

  /** Called by the launcher after a build. */
  public static void main(String[] arguments) {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    for (String[] command :
        new String[][] {
          {"--help"},
          {"payments", "--help"},
          {"payments", "--rows", "500", "-o", "json"},
          {"payments", "--rows", "50"},
          {"lab", "exact-retry"}
        }) {
      CommandLine commandLine = Main.commandLine(nowhere, nowhere, command);
      commandLine.execute(command);
    }
    // A clean end: the archive is written on the way out, and no client thread may hold that up.
    System.exit(0);
  }
}
