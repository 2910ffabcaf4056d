package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import io.fencepost.samples.client.OpenTransactions;
import io.fencepost.samples.client.OpenTransactions.Open;
import io.fencepost.samples.client.UsageException;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Aborts one transaction in one partition. */
@Command(
    name = "abort",
    description = {
      "Abort a hanging transaction in one partition by writing its abort marker. A transaction"
          + " that",
      "its coordinator still knows is refused: fence its transactional id instead, or use --force."
    },
    footer = {
      "",
      "Example:",
      "  fencepost txn abort --bootstrap localhost:9092 --topic payments --partition 0"
          + " --start-offset 42"
    })
final class TxnAbort implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--topic", paramLabel = "TOPIC", required = true, description = "The topic.")
  private String topic = "";

  @Option(names = "--partition", paramLabel = "N", required = true, description = "The partition.")
  private int partition;

  @Option(
      names = "--start-offset",
      paramLabel = "OFFSET",
      required = true,
      description = "Where the transaction begins, as blockers and hanging show it.")
  private long startOffset;

  @Option(names = "--force", description = "Also if its coordinator knows it.")
  private boolean force;

  @Override
  public Integer call() {
    return cluster.run(this::abort);
  }

  private int abort(Administration connection) {
    TopicPartition where = new TopicPartition(topic, partition);
    SortedSet<TopicPartition> one = new TreeSet<>(Comparator.comparing(TopicPartition::toString));
    one.add(where);
    for (Open open : new OpenTransactions(connection).open(one)) {
      if (open.firstOffset() == startOffset) {
        if (open.hasOwner() && !force) {
          throw new UsageException(
              "the transaction at offset %d of %s belongs to %s, whose coordinator will end it;"
                      .formatted(startOffset, where, open.transactionalId())
                  + " end it now by fencepost txn fence, or use --force");
        }
        abort(connection, open);
        cluster.done(
            "aborted", List.of("the transaction at offset " + startOffset + " of " + where));
        return ExitCode.OK;
      }
    }
    throw new UsageException(
        "no transaction is open at offset "
            + startOffset
            + " of "
            + where
            + "; fencepost txn blockers shows those that are");
  }

  private static void abort(Administration connection, Open open) {
    int coordinatorEpoch = Math.max(0, open.producer().coordinatorEpoch().orElse(0));
    connection.await(
        connection
            .admin()
            .abortTransaction(
                new AbortTransactionSpec(
                    open.partition(),
                    open.producer().producerId(),
                    (short) open.producer().producerEpoch(),
                    coordinatorEpoch))
            .all());
  }
}
