package io.fencepost.samples.cli;

import io.fencepost.samples.client.Administration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Fences producers by their transactional ids. */
@Command(
    name = "fence",
    description = {
      "Fence the producers of transactional ids: an open transaction is aborted, and whoever used",
      "the id can write no more until it initialises again."
    },
    footer = {"", "Example:", "  fencepost txn fence payments-1 --bootstrap localhost:9092"})
final class TxnFence implements Callable<Integer> {
  @Mixin final ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "ID", arity = "1..*", description = "Transactional ids.")
  private List<String> ids = List.of();

  @Override
  public Integer call() {
    return cluster.run(this::fence);
  }

  private int fence(Administration connection) {
    connection.await(connection.admin().fenceProducers(ids).all());
    cluster.done("fenced", ids);
    return ExitCode.OK;
  }
}
