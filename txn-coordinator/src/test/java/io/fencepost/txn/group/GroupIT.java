package io.fencepost.txn.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Groups as kafka-clients 4.4 see them on a server of ours. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GroupIT extends AbstractGroupBehaviour {
  private FencepostServer server = FencepostServer.start();

  @BeforeAll
  void isServing() {
    assertThat(server.port()).isPositive();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Override
  String bootstrap() {
    return server.bootstrapServers();
  }

  @Test
  void a_restart_keeps_offsets_staged_and_committed_and_members(@TempDir Path dir)
      throws Exception {
    FencepostServer shared = server;
    try {
      server = FencepostServer.start(FencepostConfig.builder().dir(dir).build());
      createTopic();
      produce(10);
      // A client that bootstraps anew forgets its topics for a moment, takes that for a change of
      // theirs and rejoins: a rebalance, after which it rightly goes back to what was committed.
      KafkaConsumer<String, String> member = consumer("metadata.recovery.strategy", "none");
      member.subscribe(List.of(topic));
      assertThat(read(member, 10)).hasSize(10);
      int generation = member.groupMetadata().generationId();
      TopicPartition partition = new TopicPartition(topic, 0);
      member.commitSync(Map.of(partition, new OffsetAndMetadata(4)));
      KafkaProducer<String, String> producer = producer("r-" + group);
      producer.beginTransaction();
      producer.sendOffsetsToTransaction(
          Map.of(partition, new OffsetAndMetadata(9)), member.groupMetadata());
      int port = server.port();
      server.close();
      server = FencepostServer.start(FencepostConfig.builder().dir(dir).port(port).build());
      assertThat(committed()).isEqualTo(4);
      producer.commitTransaction();
      assertThat(committed()).isEqualTo(9);
      produce(1);
      List<String> after = read(member, 1);
      assertThat(member.groupMetadata().generationId()).isEqualTo(generation);
      assertThat(after).as("V5: no rebalance, so no way back").containsExactly("v0");
      closeClients();
    } finally {
      server.close();
      server = shared;
    }
  }
}
