package io.fencepost.testkit.groups;

import static io.fencepost.testkit.groups.GroupClients.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.testkit.brokers.TestBroker;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@link ConsumerProtocolBehaviour} on Fencepost. */
class ConsumerProtocolOnFencepostIT extends ConsumerProtocolBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.fencepost(SETTINGS);

  @Override
  String bootstrap() {
    return BROKER.bootstrapServers();
  }

  @Test
  void a_share_consumer_is_told_at_once_that_there_are_no_share_groups() {
    String topic = clients().topic(1);
    try (KafkaShareConsumer<String, String> consumer =
        new KafkaShareConsumer<>(
            Map.of("bootstrap.servers", bootstrap(), "group.id", "share"),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      assertThatThrownBy(
              () -> {
                while (true) {
                  consumer.poll(Duration.ofMillis(100));
                }
              })
          .isInstanceOf(UnsupportedVersionException.class)
          .hasMessageContaining("does not support the share group protocol");
    }
  }

  @Test
  void a_restart_keeps_offsets_staged_and_committed_and_members(@TempDir Path dir) {
    FencepostServer server = FencepostServer.start(FencepostConfig.builder().dir(dir).build());
    try (GroupClients own = new GroupClients(server.bootstrapServers())) {
      String topic = own.topic(1);
      own.produce(topic, 0, 10);
      // A client that bootstraps anew forgets its topics for a moment, takes that for a change of
      // theirs and rejoins: a rebalance, after which it rightly goes back to what was committed.
      KafkaConsumer<String, String> member = own.classic("metadata.recovery.strategy", "none");
      member.subscribe(List.of(topic));
      assertThat(read(member, 10)).hasSize(10);
      final int generation = member.groupMetadata().generationId();
      TopicPartition partition = new TopicPartition(topic, 0);
      member.commitSync(Map.of(partition, new OffsetAndMetadata(4)));
      KafkaProducer<String, String> producer = own.transactions("r-" + own.group);
      producer.beginTransaction();
      producer.sendOffsetsToTransaction(
          Map.of(partition, new OffsetAndMetadata(9)), member.groupMetadata());
      int port = server.port();
      server.close();
      server = FencepostServer.start(FencepostConfig.builder().dir(dir).port(port).build());
      assertThat(own.committed(partition)).isEqualTo(4);
      producer.commitTransaction();
      assertThat(own.committed(partition)).isEqualTo(9);
      own.produce(topic, 0, 1);
      List<String> after = read(member, 1);
      assertThat(member.groupMetadata().generationId()).isEqualTo(generation);
      assertThat(after).as("no rebalance, so no way back").containsExactly("v0");
    } finally {
      server.close();
    }
  }
}
