package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import io.fencepost.samples.client.OpenTransactions;
import io.fencepost.samples.client.OpenTransactions.Blocked;
import io.fencepost.samples.client.OpenTransactions.Open;
import io.fencepost.samples.report.Rows;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Who holds back readers of committed records. */
@Command(
    name = "blockers",
    description = {
      "Show which transaction holds back the last stable offset of which partition, since when,",
      "for how many offsets, and what to do about it."
    },
    footer = {
      "",
      "Examples:",
      "  fencepost txn blockers --bootstrap localhost:9092",
      "  fencepost txn blockers --bootstrap localhost:9092 --topic payments -o json"
    })
final class TxnBlockers implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--topic", paramLabel = "TOPIC", description = "Only this topic's partitions.")
  private @Nullable String topic;

  @Override
  public Integer call() {
    return cluster.run(this::show);
  }

  private int show(Administration connection) {
    OpenTransactions transactions = new OpenTransactions(connection);
    SortedMap<TopicPartition, Blocked> blockers =
        transactions.blockers(transactions.partitions(topic));
    Rows rows =
        new Rows(
            "PARTITION",
            "STABLE OFFSET",
            "HELD BACK",
            "TRANSACTIONAL ID",
            "PRODUCER ID",
            "EPOCH",
            "STATE",
            "SINCE",
            "WHAT TO DO");
    blockers.forEach(
        (partition, blocked) -> {
          Open open = blocked.blocker();
          rows.row(
              partition.toString(),
              blocked.lastStableOffset(),
              blocked.highWatermark() - blocked.lastStableOffset(),
              open.transactionalId(),
              open.producer().producerId(),
              open.producer().producerEpoch(),
              state(open),
              since(open),
              advice(open, connection.bootstrap()));
        });
    List<String> remarks = new ArrayList<>();
    if (rows.isEmpty()) {
      remarks.add("no transaction holds back any reader");
    }
    cluster.print("blockers", rows, remarks);
    return ExitCode.OK;
  }

  private static String state(Open open) {
    TransactionDescription known = open.description();
    return open.hasOwner() && known != null ? known.state().toString() : "hanging";
  }

  /** The coordinator's word, or the newest batch that the partition has of it. */
  private static String since(Open open) {
    TransactionDescription known = open.description();
    if (open.hasOwner() && known != null && known.transactionStartTimeMs().isPresent()) {
      return Instant.ofEpochMilli(known.transactionStartTimeMs().getAsLong()).toString();
    }
    return "before " + Instant.ofEpochMilli(open.lastTimestampMs());
  }

  private static String advice(Open open, String bootstrap) {
    TransactionDescription known = open.description();
    if (!open.hasOwner() || known == null) {
      return "nobody will end it: fencepost txn abort --bootstrap %s --topic %s --partition %d"
              .formatted(bootstrap, open.partition().topic(), open.partition().partition())
          + " --start-offset "
          + open.firstOffset();
    }
    if (known.state() != TransactionState.ONGOING) {
      return "its coordinator, broker %d, is ending it: look at that broker if this lasts"
          .formatted(known.coordinatorId());
    }
    String deadline =
        known.transactionStartTimeMs().isPresent()
            ? "is aborted at "
                + Instant.ofEpochMilli(
                    known.transactionStartTimeMs().getAsLong() + known.transactionTimeoutMs())
            : "is aborted after " + known.transactionTimeoutMs() + " ms";
    return "it %s if its producer does not end it; to end it now: fencepost txn fence %s --bootstrap %s"
        .formatted(deadline, open.transactionalId(), bootstrap);
  }
}
