package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

/** What a job says of itself, word for word. */
class JobDescriptionTest {
  private static final Serde<String> TEXT = Serdes.String();

  private static Job payments() {
    Job job = Job.named("payments").deadLetters("dead");
    Flow<String, String> payments = job.from("payments", TEXT, TEXT);
    payments
        .mapValues(String::trim)
        .deduplicate("seen", Duration.ofDays(30), again -> again.to("repeated", TEXT, TEXT))
        .branch((key, value) -> value.length() > 9, large -> large.to("large", TEXT, TEXT))
        .to("charges", TEXT, TEXT);
    payments
        .keyBy("customer", value -> value.substring(0, 1), TEXT, TEXT)
        .toTable("latest", TEXT)
        .changes()
        .to("charges", TEXT, TEXT);
    return job;
  }

  @Test
  void as_text() {
    assertThat(payments().describe())
        .isEqualTo(
            """
            job payments
              read payments
                + mapValues
                  deduplicate [store seen]
                  branch
                  write charges
                  matching:
                    write large
                  repetitions:
                    write repeated
                + keyBy
                  write APPLICATION_ID-customer-repartition
              read APPLICATION_ID-customer-repartition
                latest [store latest]
                write charges
              store seen (persistent, keeps PT720H, changelog APPLICATION_ID-seen-changelog)
              store latest (persistent, changelog APPLICATION_ID-latest-changelog)
              dead letters to dead
            """);
  }

  @Test
  void as_a_mermaid_flowchart() {
    assertThat(payments().describeAsMermaid())
        .isEqualTo(
            """
            flowchart LR
              n1(["payments"])
              n2["mapValues"]
              n3["deduplicate"]
              n4[("seen")]
              n5["branch"]
              n6(["charges"])
              n7(["large"])
              n8(["repeated"])
              n9["keyBy"]
              n10{{"APPLICATION_ID-customer-repartition"}}
              n11(["dead"])
              n12["latest"]
              n13[("latest")]
              n1 --> n2
              n3 --- n4
              n2 --> n3
              n3 --> n5
              n5 --> n6
              n5 -->|"matching"| n7
              n3 -->|"repetitions"| n8
              n1 --> n9
              n9 --> n10
              n1 -. fails .-> n11
              n12 --- n13
              n10 --> n12
              n12 --> n6
              n10 -. fails .-> n11
            """);
  }

  @Test
  void a_flowchart_without_dead_letters_of_a_pattern_and_of_paths_that_meet() {
    Job job = Job.named("j");
    Flow<String, String> logs = job.from(Pattern.compile("logs-[\"#].*"), TEXT, TEXT);
    logs.merge(logs.filter((key, value) -> true)).to("out", TEXT, TEXT);
    assertThat(job.describeAsMermaid())
        .isEqualTo(
            """
            flowchart LR
              n1(["/logs-[#quot;#35;].*/"])
              n2["filter"]
              n3["merge"]
              n4(["out"])
              n1 --> n2
              n2 --> n3
              n3 --> n4
              n1 --> n3
            """);
  }
}
