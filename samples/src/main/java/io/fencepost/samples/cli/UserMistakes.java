package io.fencepost.samples.cli;

import io.fencepost.broker.config.NearestKey;
import io.fencepost.samples.client.UsageException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Says what is wrong in one line, with the nearest right word where there is one. A stack trace
 * comes only with --verbose, or for what is not the user's mistake but ours.
 */
final class UserMistakes implements IParameterExceptionHandler, IExecutionExceptionHandler {
  @Override
  public int handleParseException(ParameterException mistake, String[] arguments) {
    CommandLine command = mistake.getCommandLine();
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    err.println(name + ": " + message(mistake));
    err.println("Try '" + name + " --help'.");
    return ExitCode.USAGE;
  }

  @Override
  public int handleExecutionException(
      Exception failure, CommandLine command, ParseResult arguments) {
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    boolean mistake = failure instanceof UsageException;
    err.println(name + ": " + (mistake ? failure.getMessage() : failure.toString()));
    if (CommonOptions.isVerbose()) {
      failure.printStackTrace(err);
    } else if (!mistake) {
      err.println("Run it again with --verbose to see where this came from.");
    }
    return mistake ? ExitCode.USAGE : ExitCode.CHECK_FAILED;
  }

  /** Picocli's sentence, or a shorter one where it says too much. */
  private static String message(ParameterException mistake) {
    if (mistake instanceof UnmatchedArgumentException unmatched) {
      return unmatched(unmatched.getUnmatched().get(0), mistake.getCommandLine());
    }
    String text = String.valueOf(mistake.getMessage()).replace("option option", "option");
    int lineEnd = text.indexOf('\n');
    return lineEnd < 0 ? text : text.substring(0, lineEnd).stripTrailing();
  }

  private static String unmatched(String argument, CommandLine command) {
    if (argument.startsWith("-")) {
      int valueStart = argument.indexOf('=');
      String option = valueStart < 0 ? argument : argument.substring(0, valueStart);
      return "unknown option "
          + option
          + NearestKey.hint(option, command.getCommandSpec().optionsMap().keySet());
    }
    return command.getSubcommands().isEmpty()
        ? "unexpected argument " + argument
        : "unknown command "
            + argument
            + NearestKey.hint(argument, command.getSubcommands().keySet());
  }
}
