package io.fencepost.testkit.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Groups as Admin of kafka-clients 2.8 sees them: one with a static member, then without. */
// Futures are looked into by Told; deprecated methods are for the clients of yesterday.
@SuppressWarnings({"FutureReturnValueIgnored", "deprecation", "removal"})
final class GroupTour {
  private final Admin admin;
  private final Told told;
  private final String bootstrapServers;
  private final String group;

  GroupTour(Admin admin, Told told, String bootstrapServers, String version) {
    this.admin = admin;
    this.told = told;
    this.bootstrapServers = bootstrapServers;
    this.group = "group-" + version;
  }

  void run(String topic) {
    TopicPartition zero = new TopicPartition(topic, 0);
    TopicPartition two = new TopicPartition(topic, 2);
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "client.id",
                "member",
                "group.id",
                group,
                "group.instance.id",
                "instance",
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                false),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      int polled = 0;
      while (polled == 0) {
        polled = consumer.poll(Duration.ofMillis(100)).count();
      }
      consumer.commitSync();
      told.step("listConsumerGroups", this::listed);
      describe("with a member");
      offsets("with a member");
      told.step(
          "deleteConsumerGroups with a member",
          () -> admin.deleteConsumerGroups(List.of(group)).deletedGroups());
      told.step(
          "alterConsumerGroupOffsets with a member",
          () -> admin.alterConsumerGroupOffsets(group, Map.of(zero, at(1))).all());
      told.step(
          "deleteConsumerGroupOffsets with a member",
          () -> admin.deleteConsumerGroupOffsets(group, Set.of(zero)).partitionResult(zero));
      told.step(
          "removeMembersFromConsumerGroup",
          () -> {
            MemberToRemove there = new MemberToRemove("instance");
            return admin
                .removeMembersFromConsumerGroup(
                    group, new RemoveMembersFromConsumerGroupOptions(Set.of(there)))
                .memberResult(there);
          });
      told.step(
          "removeMembersFromConsumerGroup unknown",
          () -> {
            MemberToRemove nobody = new MemberToRemove("nobody");
            return admin
                .removeMembersFromConsumerGroup(
                    group, new RemoveMembersFromConsumerGroupOptions(Set.of(nobody)))
                .memberResult(nobody);
          });
      consumer.unsubscribe();
    }
    describe("without members");
    told.step(
        "alterConsumerGroupOffsets",
        () -> admin.alterConsumerGroupOffsets(group, Map.of(zero, at(5), two, at(0))).all());
    told.step(
        "alterConsumerGroupOffsets of an unknown topic",
        () ->
            admin
                .alterConsumerGroupOffsets(group, Map.of(new TopicPartition("none", 0), at(5)))
                .all());
    offsets("altered");
    told.step(
        "deleteConsumerGroupOffsets",
        () -> admin.deleteConsumerGroupOffsets(group, Set.of(zero)).partitionResult(zero));
    offsets("deleted");
    told.step(
        "deleteConsumerGroups",
        () -> admin.deleteConsumerGroups(List.of(group, "nobody")).deletedGroups());
    describe("deleted");
    offsets("of no group");
    told.step("listConsumerGroups at the end", this::listed);
  }

  private static OffsetAndMetadata at(long offset) {
    return new OffsetAndMetadata(offset, "by hand");
  }

  private Object listed() throws Exception {
    return admin.listConsumerGroups().all().get().stream()
        .filter(each -> each.groupId().equals(group))
        .map(each -> each.groupId() + " " + each.state())
        .toList();
  }

  private void describe(String title) {
    told.step(
        "describeConsumerGroups " + title,
        () -> {
          ConsumerGroupDescription described =
              admin.describeConsumerGroups(List.of(group)).describedGroups().get(group).get();
          List<Object> lines = new ArrayList<>();
          lines.add("state " + described.state());
          lines.add("assignor " + described.partitionAssignor());
          lines.add("simple " + described.isSimpleConsumerGroup());
          lines.add(described.coordinator());
          for (MemberDescription member : described.members()) {
            lines.add(member.consumerId());
            lines.add(member.groupInstanceId());
            lines.add(member.clientId() + " at " + member.host());
            lines.add(member.assignment().topicPartitions());
          }
          return lines;
        });
  }

  private void offsets(String title) {
    told.step(
        "listConsumerGroupOffsets " + title,
        () -> admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get());
  }
}
