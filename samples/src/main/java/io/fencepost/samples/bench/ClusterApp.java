package io.fencepost.samples.bench;

import io.fencepost.txn.main.ClusterConfig;
import io.fencepost.txn.main.FencepostCluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Brokers in a JVM of their own that obeys orders: prints the addresses once all serve, then one
 * line for each {@link ClusterOrder} that it has carried out, and goes when its input ends.
 */
final class ClusterApp {
  static final String READY = "ready ";
  static final String DONE = "done";

  private ClusterApp() {}

  /** Arguments: how many brokers, and a directory for their data. */
  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    ClusterConfig config =
        ClusterConfig.builder().brokers(Integer.parseInt(args[0])).dir(Path.of(args[1])).build();
    try (FencepostCluster cluster = FencepostCluster.start(config)) {
      System.out.println(READY + cluster.bootstrapServers());
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        ClusterOrder order = ClusterOrder.parse(line);
        switch (order.verb()) {
          case KILL -> cluster.kill(order.broker());
          case RESTART -> cluster.restart(order.broker());
        }
        System.out.println(DONE);
      }
    }
  }
}
