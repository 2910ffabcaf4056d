package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a lab for any cluster prints of ours it prints of Apache Kafka. */
class LabTextsOnKafkaIT {
  @Test
  void a_transaction_is_the_same_step_by_step() throws IOException {
    assumeTrue(
        ReferenceKafka.isAvailable(), "Apache Kafka's jars are not in reference-kafka/target");
    try (ReferenceKafka kafka = ReferenceKafka.startFresh(Map.of())) {
      Ran ran = Ran.of("lab", "transaction", "--bootstrap", kafka.bootstrapServers());
      assertThat(ran.out())
          .isEqualToNormalizingNewlines(
              Files.readString(Path.of("src/test/resources/labs/transaction.txt")));
      assertThat(ran.code()).as("%s%n%s", ran.out(), ran.err()).isZero();
    }
  }
}
