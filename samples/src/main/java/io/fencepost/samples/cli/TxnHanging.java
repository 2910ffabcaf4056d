package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import io.fencepost.samples.client.OpenTransactions;
import io.fencepost.samples.client.OpenTransactions.Open;
import io.fencepost.samples.report.Rows;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Transactions that no coordinator will ever end. */
@Command(
    name = "hanging",
    description = {
      "Find transactions that are open in a partition and that no coordinator will ever end."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost txn hanging --bootstrap localhost:9092",
      "  fencepost txn hanging --bootstrap localhost:9092 --topic payments",
      "",
      "Exit codes: 0 there are none, 1 there are some, 2 bad usage."
    })
final class TxnHanging implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--topic", paramLabel = "TOPIC", description = "Only this topic's partitions.")
  private @Nullable String topic;

  @Override
  public Integer call() {
    return cluster.run(this::find);
  }

  private int find(Administration connection) {
    OpenTransactions transactions = new OpenTransactions(connection);
    Rows rows =
        new Rows("PARTITION", "START OFFSET", "PRODUCER ID", "EPOCH", "LAST WRITE", "TO END IT");
    for (Open open : transactions.open(transactions.partitions(topic))) {
      if (!open.hasOwner()) {
        rows.row(
            open.partition().toString(),
            open.firstOffset(),
            open.producer().producerId(),
            open.producer().producerEpoch(),
            Instant.ofEpochMilli(open.lastTimestampMs()).toString(),
            "fencepost txn abort --bootstrap %s --topic %s --partition %d --start-offset %d"
                .formatted(
                    connection.bootstrap(),
                    open.partition().topic(),
                    open.partition().partition(),
                    open.firstOffset()));
      }
    }
    cluster.print("hanging", rows, rows.isEmpty() ? List.of("no transaction hangs") : List.of());
    return rows.isEmpty() ? ExitCode.OK : ExitCode.CHECK_FAILED;
  }
}
