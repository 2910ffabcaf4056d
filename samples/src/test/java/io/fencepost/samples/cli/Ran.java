package io.fencepost.samples.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What a command answered and printed. */
record Ran(int code, String out, String err) {
  /** Runs a command line in this JVM. */
  static Ran of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true), arguments)
            .execute(arguments);
    return new Ran(code, out.toString(), err.toString());
  }
}
