package io.fencepost.samples.cli;

import io.fencepost.samples.client.UsageException;
import java.io.PrintWriter;
import java.util.List;
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
    if (mistake instanceof UnmatchedArgumentException unmatched) {
      List<String> suggestions = unmatched.getSuggestions();
      if (!suggestions.isEmpty()) {
        err.println("Did you mean '" + suggestions.get(0) + "'?");
      }
    }
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
      String word = unmatched.getUnmatched().get(0);
      boolean hasCommands = !mistake.getCommandLine().getSubcommands().isEmpty();
      String kind =
          word.startsWith("-") ? "unknown option" : hasCommands ? "unknown command" : "unexpected";
      return kind + " '" + word + "'";
    }
    String text = String.valueOf(mistake.getMessage());
    int lineEnd = text.indexOf('\n');
    return lineEnd < 0 ? text : text.substring(0, lineEnd).stripTrailing();
  }
}
