package io.fencepost.testkit.admin;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringSerializer;

/** What Admin learned after 2.8; a method that is younger still is noted as missing. */
// Futures are looked into by Told; deprecated methods are for the clients of yesterday.
@SuppressWarnings({"FutureReturnValueIgnored", "deprecation", "removal"})
final class NewerTour {
  private final Admin admin;
  private final Told told;
  private final String bootstrapServers;
  private final String version;

  NewerTour(Admin admin, Told told, String bootstrapServers, String version) {
    this.admin = admin;
    this.told = told;
    this.bootstrapServers = bootstrapServers;
    this.version = version;
  }

  void run(String topic) throws Exception {
    topicsById(topic);
    TopicPartition zero = new TopicPartition(topic, 0);
    told.step(
        "listOffsets maxTimestamp",
        () -> admin.listOffsets(Map.of(zero, OffsetSpec.maxTimestamp())).partitionResult(zero));
    told.step(
        "listOffsets earliestLocal",
        () -> admin.listOffsets(Map.of(zero, OffsetSpec.earliestLocal())).partitionResult(zero));
    told.step(
        "listOffsets latestTiered",
        () -> admin.listOffsets(Map.of(zero, OffsetSpec.latestTiered())).partitionResult(zero));
    told.step(
        "listConsumerGroupOffsets of several",
        () ->
            admin
                .listConsumerGroupOffsets(
                    Map.of(
                        "nobody",
                        new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(zero)),
                        "no-one",
                        new ListConsumerGroupOffsetsSpec()))
                .all()
                .get());
    transactions(zero);
    told.step("listGroups", () -> admin.listGroups().errors());
    told.step("describeClassicGroups", () -> admin.describeClassicGroups(List.of("nobody")).all());
    told.step(
        "describeMetadataQuorum leader",
        () -> admin.describeMetadataQuorum().quorumInfo().get().leaderId());
    told.step(
        "listConfigResources",
        () ->
            admin.listConfigResources().all().get().stream()
                .filter(each -> each.type() != ConfigResource.Type.TOPIC)
                .map(String::valueOf)
                .sorted()
                .toList());
    told.step("listClientMetricsResources", () -> admin.listClientMetricsResources().all());
    told.step(
        "describeConfigs of a group",
        () ->
            admin
                .describeConfigs(List.of(new ConfigResource(ConfigResource.Type.GROUP, "nobody")))
                .all()
                .get()
                .values()
                .stream()
                .flatMap(config -> config.entries().stream())
                .map(entry -> entry.name() + "=" + entry.value() + " " + entry.source())
                .sorted()
                .toList());
    told.step(
        "describeConfigs of client metrics",
        () ->
            admin
                .describeConfigs(
                    List.of(new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "none")))
                .all()
                .get()
                .values()
                .stream()
                .map(config -> config.entries().size())
                .toList());
    told.step(
        "clientInstanceId",
        () -> !admin.clientInstanceId(Duration.ofSeconds(2)).equals(Uuid.ZERO_UUID));
    told.step("describeShareGroups", () -> admin.describeShareGroups(List.of("nobody")).all());
    told.step("describeStreamsGroups", () -> admin.describeStreamsGroups(List.of("nobody")).all());
  }

  private void topicsById(String topic) {
    told.step(
        "describeTopics by id",
        () -> {
          Uuid id = admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).topicId();
          return admin
              .describeTopics(TopicCollection.ofTopicIds(List.of(id)))
              .allTopicIds()
              .get()
              .values()
              .stream()
              .map(AdminTour::summary)
              .toList();
        });
    told.step(
        "describeTopics by unknown id",
        () ->
            admin
                .describeTopics(TopicCollection.ofTopicIds(List.of(new Uuid(8, 9))))
                .allTopicIds());
    told.step(
        "deleteTopics by unknown id",
        () -> admin.deleteTopics(TopicCollection.ofTopicIds(List.of(new Uuid(8, 9)))).all());
  }

  private void transactions(TopicPartition zero) throws Exception {
    String id = "transaction-" + version;
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrapServers, "transactional.id", id),
            new StringSerializer(),
            new StringSerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(zero.topic(), zero.partition(), "k", "v")).get();
      told.step("listTransactions", () -> listed(id));
      told.step(
          "describeTransactions",
          () -> {
            var description = admin.describeTransactions(List.of(id)).description(id).get();
            return List.of(
                description.state(),
                "epoch " + description.producerEpoch(),
                description.transactionTimeoutMs(),
                description.topicPartitions(),
                description.transactionStartTimeMs().isPresent());
          });
      told.step(
          "describeProducers",
          () ->
              admin
                  .describeProducers(List.of(zero))
                  .partitionResult(zero)
                  .get()
                  .activeProducers()
                  .stream()
                  .map(
                      each ->
                          "epoch %d sequence %d coordinator %s open since offset %s"
                              .formatted(
                                  each.producerEpoch(),
                                  each.lastSequence(),
                                  each.coordinatorEpoch(),
                                  Told.text(each.currentTransactionStartOffset().isPresent())))
                  .toList());
      told.step(
          "abortTransaction of somebody else's",
          () -> admin.abortTransaction(new AbortTransactionSpec(zero, 77, (short) 0, 0)).all());
      told.step("fenceProducers", () -> admin.fenceProducers(List.of(id)).all());
      told.step(
          "sending when fenced",
          () -> {
            producer.send(new ProducerRecord<>(zero.topic(), zero.partition(), "k", "v")).get();
            return "sent";
          });
      producer.close(Duration.ZERO);
    }
    told.step("listTransactions fenced", () -> listed(id));
    told.step(
        "describeTransactions unknown", () -> admin.describeTransactions(List.of("nobody")).all());
    told.step(
        "fenceProducers unknown", () -> admin.fenceProducers(List.of("nobody-" + version)).all());
    told.step("forceTerminateTransaction", () -> admin.forceTerminateTransaction(id).result());
  }

  private List<String> listed(String id) throws Exception {
    return admin.listTransactions().all().get().stream()
        .filter(each -> each.transactionalId().equals(id))
        .map((TransactionListing each) -> each.transactionalId() + " " + each.state())
        .toList();
  }
}
