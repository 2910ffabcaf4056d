package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import io.fencepost.samples.report.Rows;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.DescribeTransactionsResult;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** What a coordinator knows of transactional ids. */
@Command(
    name = "describe",
    description = "Show what the coordinator knows of transactional ids.",
    footer = {
      "",
      "Example:",
      "  fencepost txn describe payments-1 payments-2 --bootstrap localhost:9092"
    })
final class TxnDescribe implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "ID", arity = "1..*", description = "Transactional ids.")
  private List<String> ids = List.of();

  @Override
  public Integer call() {
    return cluster.run(this::describe);
  }

  private int describe(Administration connection) {
    Rows rows =
        new Rows(
            "TRANSACTIONAL ID",
            "STATE",
            "COORDINATOR",
            "PRODUCER ID",
            "EPOCH",
            "TIMEOUT MS",
            "SINCE",
            "PARTITIONS");
    DescribeTransactionsResult answers = connection.admin().describeTransactions(ids);
    for (String id : ids) {
      TransactionDescription found = connection.await(answers.description(id));
      rows.row(
          id,
          found.state().toString(),
          found.coordinatorId(),
          found.producerId(),
          found.producerEpoch(),
          found.transactionTimeoutMs(),
          found.transactionStartTimeMs().isPresent()
              ? Instant.ofEpochMilli(found.transactionStartTimeMs().getAsLong()).toString()
              : null,
          found.topicPartitions().stream()
              .map(TopicPartition::toString)
              .sorted()
              .collect(Collectors.joining(",")));
    }
    cluster.print("transactions", rows, List.of());
    return ExitCode.OK;
  }
}
