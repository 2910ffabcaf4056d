package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.NewTopic;
import io.fencepost.broker.main.BrokerServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers come and go in one JVM, and nothing of them stays. */
class LifeCycleIT {
  private static final int STARTS = 200;
  private static final int WARM_UP = 20;
  private static final int IN_PARALLEL = 6;

  /** What malloc and the JVM's own tables may grow by; a leaked RocksDB costs a megabyte each. */
  private static final long SLACK_KB = 128 * 1024;

  @TempDir Path directory;

  private static void useAndStop(FencepostConfig config) {
    try (FencepostServer server = FencepostServer.start(config)) {
      BrokerServer broker = server.broker();
      broker
          .core()
          .services()
          .controller()
          .createTopic(new NewTopic("used", 2, 1, new TreeMap<>(), new TreeMap<>()));
      assertThat(broker.core().services().replicas().find("used", 1)).isNotNull();
    }
  }

  @Test
  void two_hundred_starts_and_stops_leave_nothing_behind() {
    assertThat(Path.of("/proc/self/fd")).as("this test counts as Linux does").exists();
    FencepostConfig durable = FencepostConfig.builder().dir(directory).build();
    for (int i = 0; i < WARM_UP; i++) {
      useAndStop(i % 2 == 0 ? FencepostConfig.defaults() : durable);
    }
    Held before = Held.settled(null);
    for (int i = 0; i < STARTS; i++) {
      useAndStop(i % 2 == 0 ? FencepostConfig.defaults() : durable);
    }
    Held after = Held.settled(before);
    System.out.println("before " + before + ", after " + STARTS + " more starts " + after);
    assertThat(after.threads()).as("threads").isLessThanOrEqualTo(before.threads());
    assertThat(after.files()).as("open files").isLessThanOrEqualTo(before.files());
    assertThat(after.maps()).as("mapped files").isLessThanOrEqualTo(before.maps());
    assertThat(after.residentKb()).as("memory").isLessThan(before.residentKb() + SLACK_KB);
  }

  @Test
  void several_servers_at_once_do_not_know_each_other() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(IN_PARALLEL);
    try {
      List<Future<FencepostServer>> starting = new ArrayList<>();
      for (int i = 0; i < IN_PARALLEL; i++) {
        starting.add(pool.submit(() -> FencepostServer.start()));
      }
      List<FencepostServer> servers = new ArrayList<>();
      for (Future<FencepostServer> each : starting) {
        servers.add(each.get());
      }
      assertThat(servers.stream().map(FencepostServer::bootstrapServers)).doesNotHaveDuplicates();
      assertThat(servers.stream().map(FencepostServer::dir)).doesNotHaveDuplicates();
      servers
          .get(0)
          .broker()
          .core()
          .services()
          .controller()
          .createTopic(new NewTopic("only", 1, 1, new TreeMap<>(), new TreeMap<>()));
      assertThat(servers.get(1).broker().core().services().replicas().find("only", 0)).isNull();
      List<Future<?>> stopping = new ArrayList<>();
      for (FencepostServer server : servers) {
        stopping.add(pool.submit(server::close));
      }
      for (Future<?> each : stopping) {
        each.get();
      }
      assertThat(servers).allSatisfy(server -> assertThat(server.dir()).doesNotExist());
    } finally {
      pool.shutdownNow();
    }
  }
}
