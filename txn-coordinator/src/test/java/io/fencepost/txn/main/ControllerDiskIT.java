package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A controller whose file system runs full when leaders have to be elected. Needs root. */
@Timeout(120)
class ControllerDiskIT {
  /** Their new leaders take more than what is left of the journal's last page. */
  private static final int PARTITIONS = 400;

  @TempDir private Path directory;
  private Path controller;

  @BeforeEach
  void mount() throws Exception {
    controller = Files.createDirectory(directory.resolve("controller"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", controller.toString()) == 0,
        "no small file system can be mounted here: run as root");
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", controller.toString());
  }

  private static int run(String... command) throws Exception {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    } catch (IOException absent) {
      return -1;
    }
  }

  private FencepostCluster cluster() throws Exception {
    FencepostCluster cluster =
        FencepostCluster.start(
            ClusterConfig.builder().dir(directory).set("broker.session.timeout.ms", "100").build());
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic("payments", PARTITIONS, (short) 3))).all().get();
    }
    return cluster;
  }

  private Path fill() throws IOException {
    Path ballast = controller.resolve("ballast");
    try (var out = Files.newOutputStream(ballast)) {
      byte[] page = new byte[4096];
      while (true) {
        out.write(page);
      }
    } catch (IOException full) {
      return ballast;
    }
  }

  @Test
  void who_stops_while_the_controller_has_no_room_is_followed_by_others_once_it_has()
      throws Exception {
    try (FencepostCluster cluster = cluster()) {
      int leader = cluster.leaderOf("payments", 0);
      Path ballast = fill();
      cluster.stop(leader);
      assertThat(cluster.leaderOf("payments", 0)).isEqualTo(leader);
      Files.delete(ballast);
      assertThat(cluster.awaitLeader("payments", 0)).isNotEqualTo(leader);
    }
  }

  @Test
  void who_is_cut_off_while_the_controller_has_no_room_is_followed_by_others_once_it_has()
      throws Exception {
    try (FencepostCluster cluster = cluster()) {
      int leader = cluster.leaderOf("payments", 0);
      Path ballast = fill();
      cluster.isolate(leader);
      // Its session ends meanwhile, many times over.
      Awaitility.await()
          .pollDelay(Duration.ofSeconds(1))
          .until(() -> cluster.leaderOf("payments", 0) == leader);
      Files.delete(ballast);
      Patience.await(
          FencepostCluster.PATIENCE,
          () -> cluster.leaderOf("payments", 0) != leader,
          () -> "The leader that is cut off leads on");
    }
  }
}
