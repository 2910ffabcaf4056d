package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import io.fencepost.samples.report.Rows;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** All transactional ids. */
@Command(
    name = "list",
    description = "List transactional ids with their state.",
    footer = {"", "Example:", "  fencepost txn list --bootstrap localhost:9092 --state Ongoing"})
final class TxnList implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description =
          "Only those: Empty, Ongoing, PrepareCommit, PrepareAbort, CompleteCommit or"
              + " CompleteAbort.")
  private @Nullable String state;

  @Override
  public Integer call() {
    ListTransactionsOptions options = new ListTransactionsOptions();
    if (state != null) {
      TransactionState wanted = TransactionState.parse(state);
      if (wanted == TransactionState.UNKNOWN) {
        throw new ParameterException(spec.commandLine(), "--state " + state + ": no such state");
      }
      options.filterStates(Set.of(wanted));
    }
    return cluster.run(connection -> list(connection, options));
  }

  private int list(Administration connection, ListTransactionsOptions options) {
    Map<Integer, List<TransactionListing>> found = new TreeMap<>();
    connection
        .await(connection.admin().listTransactions(options).allByBrokerId())
        .forEach((broker, listings) -> found.put(broker, List.copyOf(listings)));
    Rows rows = new Rows("TRANSACTIONAL ID", "COORDINATOR", "PRODUCER ID", "STATE");
    found.forEach(
        (broker, listings) ->
            listings.stream()
                .sorted(Comparator.comparing(TransactionListing::transactionalId))
                .forEach(
                    listing ->
                        rows.row(
                            listing.transactionalId(),
                            broker,
                            listing.producerId(),
                            listing.state().toString())));
    cluster.print("transactions", rows, List.of());
    return ExitCode.OK;
  }
}
