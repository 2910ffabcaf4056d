package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.NewTopic;
import java.nio.file.Path;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clusters come and go in one JVM, and nothing of them stays. */
class ClusterLifeCycleIT {
  private static final int STARTS = 200;
  private static final int WARM_UP = 20;

  /** As for a single server; three RocksDB are opened and closed by each start. */
  private static final long SLACK_KB = 192 * 1024;

  @TempDir Path directory;

  private void useAndStop(int round) {
    ClusterConfig config =
        round % 4 == 0 ? ClusterConfig.builder().dir(directory).build() : ClusterConfig.defaults();
    try (FencepostCluster cluster = FencepostCluster.start(config)) {
      cluster
          .broker(1)
          .services()
          .controller()
          .createTopic(new NewTopic("used", 3, 3, new TreeMap<>(), new TreeMap<>()));
      if (round % 2 == 1) {
        cluster.kill(2, Unforced.LOST);
        cluster.restart(2);
        cluster.isolate(3);
        cluster.heal();
      }
      cluster.awaitAllInSync();
    }
  }

  @Test
  void two_hundred_starts_and_stops_of_three_brokers_leave_nothing_behind() {
    assertThat(Path.of("/proc/self/fd")).as("this test counts as Linux does").exists();
    for (int i = 0; i < WARM_UP; i++) {
      useAndStop(i);
    }
    Held before = Held.settled(null);
    for (int i = 0; i < STARTS; i++) {
      useAndStop(i);
    }
    Held after = Held.settled(before);
    System.out.println("before " + before + ", after " + STARTS + " more starts " + after);
    assertThat(after.threads()).as("threads").isLessThanOrEqualTo(before.threads());
    assertThat(after.files()).as("open files").isLessThanOrEqualTo(before.files());
    assertThat(after.maps()).as("mapped files").isLessThanOrEqualTo(before.maps());
    assertThat(after.residentKb()).as("memory").isLessThan(before.residentKb() + SLACK_KB);
  }
}
