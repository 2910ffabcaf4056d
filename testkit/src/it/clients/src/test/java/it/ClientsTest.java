package it;

import static io.fencepost.testkit.junit.FencepostAssertions.assertExactlyOnce;
import static io.fencepost.testkit.junit.FencepostAssertions.assertThat;
import static io.fencepost.testkit.junit.FencepostAssertions.committed;
import static io.fencepost.testkit.junit.FencepostAssertions.open;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fencepost.streams.Job;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.junit.BootstrapServers;
import io.fencepost.testkit.junit.ExactlyOnce;
import io.fencepost.testkit.junit.ExactlyOnceReport;
import io.fencepost.testkit.junit.Fencepost;
import io.fencepost.testkit.junit.ReadCommitted;
import io.fencepost.testkit.junit.ReadUncommitted;
import io.fencepost.testkit.junit.Settings;
import io.fencepost.testkit.junit.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

@Fencepost(topics = {"payments", "built"}, bootstrapProperty = "it.servers")
class ClientsTest {
  private static final String VERSION = System.getProperty("kafka.version");

  @Test
  void the_version_is_the_users() {
    String jar = Producer.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    assertTrue(jar.endsWith("/kafka-clients-" + VERSION + ".jar"), jar);
  }

  @Test
  void parameters(
      @BootstrapServers String servers,
      Admin admin,
      @Settings("transactional.id=t") Producer<String, Long> producer,
      @ReadCommitted("payments") Consumer<String, Long> committed,
      @ReadUncommitted("payments") Consumer<String, Long> everything,
      TestCluster cluster)
      throws Exception {
    assertEquals(servers, System.getProperty("it.servers"));
    assertTrue(admin.listTopics().names().get().containsAll(Set.of("payments", "built")));
    producer.initTransactions();
    producer.beginTransaction();
    producer.send(new ProducerRecord<>("payments", "a", 1L)).get();
    producer.abortTransaction();
    producer.beginTransaction();
    producer.send(new ProducerRecord<>("payments", "a", 2L)).get();
    producer.commitTransaction();
    assertEquals(List.of(2L), read(committed, 1));
    assertEquals(List.of(1L, 2L), read(everything, 2));
    committed.commitSync();
    cluster.awaitLag(committed.groupMetadata().groupId(), 0);
  }

  private static List<Long> read(Consumer<String, Long> consumer, int count) {
    List<Long> values = new ArrayList<>();
    while (values.size() < count) {
      consumer.poll(Duration.ofMillis(100)).forEach(it -> values.add(it.value()));
    }
    return values;
  }

  @Test
  void logs_and_waits(TestCluster cluster) {
    var log =
        cluster
            .log("built")
            .transaction("a", t -> t.send(1, 2))
            .interleave("b", committed(3))
            .interleave("c", open(4))
            .abort("a");
    assertThat(log)
        .hasLso(4)
        .hasHighWatermark(6)
        .readCommitted()
        .sees(3)
        .readUncommitted()
        .sees(1, 2, 3, 4);
    assertEquals(1, cluster.awaitCommitted("built", 1).size());
    TestCluster hasty = cluster.within(Duration.ofMillis(300));
    AssertionError failure =
        assertThrows(AssertionError.class, () -> hasty.awaitLsoAtEnd("built"));
    assertTrue(failure.getMessage().contains("LSO 4, high watermark 6"), failure.getMessage());
    log.commit("c");
    cluster.awaitLsoAtEnd("built");
  }

  @Test
  void a_job_under_a_plan() {
    Job job = Job.named("copy");
    job.from("in", Serdes.String(), Serdes.String()).to("out", Serdes.String(), Serdes.String());
    ExactlyOnce.From<String, String> run =
        assertExactlyOnce(job).from("in", "a", "b", "c", "d").to("out", all -> all);
    FaultPlan plan = FaultPlan.parse("EndTxn#1:answer-lost; kill job@before-end#3");
    if (VERSION.startsWith("2.")) {
      Exception tooOld = assertThrows(IllegalStateException.class, () -> run.under(plan));
      assertTrue(tooOld.getMessage().startsWith("jobs need kafka-clients 3.9"), tooOld.getMessage());
    } else {
      ExactlyOnceReport report = run.under(plan).get(0);
      assertEquals(2, report.fired().size());
      assertEquals(1, report.restarts());
    }
  }
}
