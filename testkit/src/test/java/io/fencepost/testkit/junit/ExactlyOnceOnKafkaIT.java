package io.fencepost.testkit.junit;

import static io.fencepost.testkit.junit.FencepostAssertions.assertExactlyOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Job;
import io.fencepost.testkit.brokers.TestBroker;
import io.fencepost.testkit.fault.FaultPlan;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ExactlyOnceOnKafkaIT {
  @RegisterExtension static final TestBroker KAFKA = TestBroker.kafka(Map.of());

  @Test
  void requests_and_the_jobs_steps_are_broken_and_brokers_are_refused() {
    Job job = Job.named("copy");
    job.from("in", Serdes.String(), Serdes.String()).to("out", Serdes.String(), Serdes.String());
    ExactlyOnce.From<String, String> whole =
        assertExactlyOnce(job)
            .on(TestCluster.at(KAFKA.bootstrapServers()))
            .from("in", "a", "b", "c", "d", "e", "f", "g", "h")
            .to("out", all -> all);
    for (String plan :
        List.of("kill broker 1@EndTxn#1", "before-append#1:failed", "kill job@after-marker#1")) {
      assertThatThrownBy(() -> whole.under(FaultPlan.parse(plan)))
          .hasMessageStartingWith("'" + plan + "' can only be done to brokers in this JVM: leave");
    }
    List<ExactlyOnceReport> reports =
        whole.under(
            FaultPlan.parse("EndTxn#2:answer-lost; before-end#3:failed; kill job@after-stage#4"));
    assertThat(reports.get(0).restarts()).isEqualTo(1);
  }
}
