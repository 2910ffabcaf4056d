package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.disk.FileDisk;
import io.fencepost.broker.log.LogConfig;
import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.main.SystemClock;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterCommandsOnFencepostIT extends ClusterCommands {
  private static FencepostServer server;

  @BeforeAll
  static void start() {
    server = FencepostServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  String bootstrap() {
    return server.bootstrapServers();
  }

  /** No coordinator knows of it: what a broker without guards can leave behind. */
  private static void leaveHanging(Path dir) {
    PartitionLog log =
        PartitionLog.open(new FileDisk(dir), "stuck-0", LogConfig.defaults(), new SystemClock());
    byte[] value = "lost".getBytes(StandardCharsets.UTF_8);
    log.append(
        BatchWriter.at(log.endOffset())
            .leaderEpoch(0)
            .producer(777, (short) 3, 0)
            .transactional()
            .add(System.currentTimeMillis(), null, value)
            .build());
    log.force();
    log.close(false);
  }

  @Test
  void a_hanging_transaction_is_found_and_aborted(@TempDir Path dir) {
    FencepostConfig config = FencepostConfig.builder().dir(dir).build();
    try (FencepostServer first = FencepostServer.start(config)) {
      String at = first.bootstrapServers();
      Ran created = Ran.of("topic", "create", "stuck", "--partitions", "1", "--bootstrap", at);
      assertThat(created.code()).isZero();
    }
    leaveHanging(dir);
    Ran checked = Ran.of("check", dir.toString());
    assertThat(checked.out())
        .contains(
            "wrong  stuck-0: the transaction of producer 777, epoch 3, is open since offset 0");
    try (FencepostServer second = FencepostServer.start(config)) {
      String at = second.bootstrapServers();
      Ran found = Ran.of("txn", "hanging", "--topic", "stuck", "--bootstrap", at);
      assertThat(found.code()).isEqualTo(1);
      assertThat(found.out()).contains("stuck-0").contains("777").contains("--start-offset 0");
      assertThat(Ran.of("txn", "blockers", "--topic", "stuck", "--bootstrap", at).out())
          .contains("hanging")
          .contains("fencepost txn abort");
      Ran aborted =
          Ran.of(
              "txn",
              "abort",
              "--topic",
              "stuck",
              "--partition",
              "0",
              "--start-offset",
              "0",
              "--bootstrap",
              at);
      assertThat(aborted.err()).isEmpty();
      assertThat(aborted.code()).isZero();
      assertThat(Ran.of("txn", "hanging", "--topic", "stuck", "--bootstrap", at).code()).isZero();
      assertThat(Ran.of("txn", "blockers", "--topic", "stuck", "--bootstrap", at).out())
          .contains("no transaction holds back");
    }
  }
}
