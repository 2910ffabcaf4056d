package io.fencepost.samples.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The fencepost command line. Everything it can do is a sub-command. */
@Command(
    name = "fencepost",
    description = "Transactional stream processing on a broker that speaks the Kafka protocol.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    version = "fencepost 0.1.0-SNAPSHOT",
    footer = {
      "",
      "Examples:",
      "  fencepost payments                  run the payment-dedup job and check its output",
      "  fencepost job transfer-ledger --bootstrap localhost:9092    one of the sample jobs",
      "  fencepost serve --port 9092         start a broker for any Kafka client",
      "  fencepost txn blockers              who keeps readers of committed records from going on",
      "  fencepost check data                check the files of a stopped broker",
      "  fencepost verify history.jsonl      check what clients and brokers did and saw in a run",
      "  fencepost lab forced-retry          lose answers on purpose and count the duplicates",
      "  fencepost proxy --upstream localhost:9092 --plan 'EndTxn#3:answer-lost'    break a"
          + " cluster's wire",
      "  fencepost payments --help           all options of a command",
      "",
      "Exit codes: 0 ok, 1 a check failed, 2 bad usage."
    })
public final class Main implements Runnable {
  private static final List<Class<?>> COMMANDS =
      List.of(
          Payments.class,
          JobCommand.class,
          Serve.class,
          Topic.class,
          Group.class,
          Txn.class,
          Dump.class,
          Check.class,
          Lab.class,
          CampaignCommand.class,
          Verify.class,
          ProxyCommand.class,
          FaultsCommand.class,
          Prove.class,
          BenchCommand.class,
          Completion.class);

  @Spec private CommandSpec spec;

  /** Picocli sets the fields. */
  Main() {}

  /** Runs one command and exits with its code. */
  public static void main(String[] arguments) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int code = commandLine(out, err, arguments).execute(arguments);
    out.flush();
    err.flush();
    // Clients leave threads behind when a command ends by an error: do not wait for them.
    System.exit(code);
  }

  /**
   * The command tree for these arguments, writing to these. Of a command that they do not name it
   * holds only what the list of commands shows: to model every option of every command costs a
   * third of the time that {@code --help} takes.
   */
  static CommandLine commandLine(PrintWriter out, PrintWriter err, String... arguments) {
    CommandLine commandLine = new CommandLine(new Main());
    Set<String> words = Set.copyOf(Arrays.asList(arguments));
    boolean whole =
        words.contains("completion") || words.stream().anyMatch(word -> word.startsWith("@"));
    for (Class<?> command : COMMANDS) {
      Command described = command.getAnnotation(Command.class);
      commandLine.addSubcommand(
          described.name(),
          whole || words.contains(described.name())
              ? new CommandLine(command)
              : outline(described));
    }
    commandLine.setOut(out).setErr(err);
    commandLine.setUsageHelpWidth(100);
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setParameterExceptionHandler(new UserMistakes());
    commandLine.setExecutionExceptionHandler(new UserMistakes());
    return commandLine;
  }

  private static CommandLine outline(Command described) {
    CommandSpec spec = CommandSpec.create().name(described.name());
    spec.usageMessage().description(described.description());
    return new CommandLine(spec);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is needed");
  }
}
