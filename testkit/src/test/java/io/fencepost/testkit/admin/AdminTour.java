package io.fencepost.testkit.admin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Calls every method of Admin that kafka-clients 2.8 has. Compiled against the newest version and
 * run with each, in a class loader of its own; what needs newer classes is in {@link NewerTour}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Told looks into them
public final class AdminTour {
  private static final long FIRST_TIMESTAMP = 1_000_000_000_000L;
  private static final int BROKER = 1;

  private final String bootstrapServers;
  private final String version;
  private final Admin admin;
  private final Told told = new Told();

  private AdminTour(String bootstrapServers, String version) {
    this.bootstrapServers = bootstrapServers;
    this.version = version;
    this.admin =
        Admin.create(
            Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "client.id",
                "tour",
                "enable.metrics.push",
                true,
                "request.timeout.ms",
                10_000,
                "default.api.timeout.ms",
                20_000));
  }

  /** All steps: each a title and what was answered. */
  public static List<List<String>> run(String bootstrapServers, String version) throws Exception {
    AdminTour tour = new AdminTour(bootstrapServers, version);
    try (Admin admin = tour.admin) {
      tour.cluster();
      tour.topics();
      new SettingsTour(admin, tour.told).run(tour.topic("a"), tour.topic("b"));
      tour.records();
      new GroupTour(admin, tour.told, bootstrapServers, version).run(tour.topic("a"));
      tour.placement();
      tour.security();
      if (isThere("org.apache.kafka.common.TopicCollection")) {
        new NewerTour(admin, tour.told, bootstrapServers, version).run(tour.topic("a"));
      }
      tour.end();
      return tour.told.steps();
    }
  }

  private static boolean isThere(String className) {
    try {
      Class.forName(className);
      return true;
    } catch (ClassNotFoundException older) {
      return false;
    }
  }

  private String topic(String name) {
    return name + "-" + version;
  }

  private void cluster() {
    told.step("describeCluster nodes", () -> admin.describeCluster().nodes());
    told.step("describeCluster controller", () -> admin.describeCluster().controller());
    told.step(
        "describeCluster clusterId length",
        () -> admin.describeCluster().clusterId().get().length());
    told.step(
        "describeCluster authorizedOperations",
        () ->
            admin
                .describeCluster(new DescribeClusterOptions().includeAuthorizedOperations(true))
                .authorizedOperations());
    told.step(
        "describeFeatures",
        () ->
            admin.describeFeatures().featureMetadata().get().finalizedFeatures().entrySet().stream()
                .map(String::valueOf)
                .filter(each -> each.contains("transaction.version"))
                .toList());
  }

  private void topics() {
    told.step(
        "createTopics",
        () -> {
          NewTopic a = new NewTopic(topic("a"), 2, (short) 1).configs(Map.of("retention.ms", "-1"));
          NewTopic b = new NewTopic(topic("b"), Optional.empty(), Optional.empty());
          NewTopic c = new NewTopic(topic("c"), Map.of(0, List.of(BROKER), 1, List.of(BROKER)));
          CreateTopicsResult result = admin.createTopics(List.of(a, b, c));
          Map<String, Object> answers = new TreeMap<>();
          for (String name : List.of(topic("a"), topic("b"), topic("c"))) {
            answers.put(
                name,
                List.of(
                    result.numPartitions(name),
                    result.replicationFactor(name),
                    setting(result.config(name), "retention.ms")));
          }
          return answers;
        });
    told.step(
        "createTopics that cannot be",
        () ->
            admin
                .createTopics(
                    List.of(
                        new NewTopic(topic("a"), 1, (short) 1),
                        new NewTopic("bad/name", 1, (short) 1),
                        new NewTopic(topic("d"), 0, (short) 1),
                        new NewTopic(topic("e"), 1, (short) 9),
                        new NewTopic(topic("f"), Map.of(0, List.of(9))),
                        new NewTopic(topic("g"), 1, (short) 1).configs(Map.of("nothing", "1"))))
                .values());
    told.step(
        "createTopics validateOnly",
        () ->
            admin
                .createTopics(
                    List.of(new NewTopic(topic("h"), 1, (short) 1)),
                    new CreateTopicsOptions().validateOnly(true))
                .values());
    told.step("listTopics", () -> mine(admin.listTopics().names()));
    told.step(
        "listTopics with internal ones",
        () -> mine(admin.listTopics(new ListTopicsOptions().listInternal(true)).listings()));
    told.step(
        "describeTopics",
        () ->
            Told.of(
                admin.describeTopics(List.of(topic("a"), topic("b"))),
                "topicNameValues",
                "values"));
    told.step(
        "describeTopics unknown",
        () -> Told.of(admin.describeTopics(List.of("none")), "topicNameValues", "values"));
    told.step(
        "createPartitions",
        () ->
            admin
                .createPartitions(
                    Map.of(
                        topic("a"),
                        NewPartitions.increaseTo(3),
                        topic("b"),
                        NewPartitions.increaseTo(2, List.of(List.of(BROKER))),
                        topic("c"),
                        NewPartitions.increaseTo(1),
                        "none",
                        NewPartitions.increaseTo(2)))
                .values());
  }

  private static String setting(KafkaFuture<Config> config, String name) throws Exception {
    ConfigEntry entry = config.get().get(name);
    return entry == null ? "none" : entry.name() + "=" + entry.value() + " " + entry.source();
  }

  private List<String> mine(KafkaFuture<? extends Collection<?>> all) throws Exception {
    List<String> names = new ArrayList<>();
    for (Object each : all.get()) {
      if (each.toString().contains(version)) {
        names.add(each.toString());
      }
    }
    Collections.sort(names);
    return names;
  }

  private void records() throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrapServers, "enable.idempotence", false),
            new StringSerializer(),
            new StringSerializer())) {
      for (int i = 0; i < 10; i++) {
        producer
            .send(
                new ProducerRecord<>(topic("a"), 0, FIRST_TIMESTAMP + i * 1000L, "k" + i, "v" + i))
            .get();
      }
    }
    TopicPartition a0 = new TopicPartition(topic("a"), 0);
    TopicPartition a1 = new TopicPartition(topic("a"), 1);
    offsets("earliest", a0, OffsetSpec.earliest());
    offsets("latest", a0, OffsetSpec.latest());
    offsets("by time", a0, OffsetSpec.forTimestamp(FIRST_TIMESTAMP + 2500));
    offsets("after all times", a0, OffsetSpec.forTimestamp(FIRST_TIMESTAMP + 60_000));
    offsets("of nothing", a1, OffsetSpec.latest());
    told.step(
        "deleteRecords",
        () ->
            new TreeMap<>(
                Map.of(
                    "to 3",
                    admin
                        .deleteRecords(Map.of(a0, RecordsToDelete.beforeOffset(3)))
                        .lowWatermarks()
                        .get(a0)
                        .get()
                        .lowWatermark(),
                    "too far",
                    Told.text(
                        admin
                            .deleteRecords(Map.of(a1, RecordsToDelete.beforeOffset(3)))
                            .lowWatermarks()
                            .get(a1)))));
    offsets("earliest after deleteRecords", a0, OffsetSpec.earliest());
  }

  private void offsets(String title, TopicPartition partition, OffsetSpec spec) {
    told.step(
        "listOffsets " + title,
        () -> admin.listOffsets(Map.of(partition, spec)).partitionResult(partition));
  }

  private void placement() {
    TopicPartition a0 = new TopicPartition(topic("a"), 0);
    TopicPartition none = new TopicPartition("none", 0);
    told.step(
        "describeReplicaLogDirs",
        () ->
            admin
                .describeReplicaLogDirs(List.of(new TopicPartitionReplica(topic("a"), 0, BROKER)))
                .values());
    told.step(
        "alterReplicaLogDirs",
        () ->
            admin
                .alterReplicaLogDirs(
                    Map.of(new TopicPartitionReplica(topic("a"), 0, BROKER), "/nowhere"))
                .values());
    for (ElectionType type : ElectionType.values()) {
      told.step(
          "electLeaders " + type,
          () -> admin.electLeaders(type, Set.of(a0, none)).partitions().get());
    }
    told.step(
        "electLeaders of all",
        () -> admin.electLeaders(ElectionType.PREFERRED, null).partitions().get());
    told.step(
        "alterPartitionReassignments",
        () ->
            admin
                .alterPartitionReassignments(
                    Map.of(
                        a0,
                        Optional.of(new NewPartitionReassignment(List.of(BROKER))),
                        new TopicPartition(topic("a"), 1),
                        Optional.empty(),
                        new TopicPartition(topic("a"), 2),
                        Optional.of(new NewPartitionReassignment(List.of(9))),
                        none,
                        Optional.of(new NewPartitionReassignment(List.of(BROKER)))))
                .values());
    told.step(
        "listPartitionReassignments",
        () -> admin.listPartitionReassignments().reassignments().get());
    told.step(
        "listPartitionReassignments of some",
        () -> admin.listPartitionReassignments(Set.of(a0, none)).reassignments().get());
    told.step("unregisterBroker", () -> admin.unregisterBroker(77).all());
  }

  private void security() {
    told.step("describeAcls", () -> admin.describeAcls(AclBindingFilter.ANY).values());
    told.step("createDelegationToken", () -> admin.createDelegationToken().delegationToken());
    told.step("describeDelegationToken", () -> admin.describeDelegationToken().delegationTokens());
    told.step(
        "describeClientQuotas",
        () -> admin.describeClientQuotas(ClientQuotaFilter.all()).entities());
    told.step("describeUserScramCredentials", () -> admin.describeUserScramCredentials().all());
  }

  private void end() {
    told.step(
        "deleteTopics",
        () ->
            Told.of(
                admin.deleteTopics(List.of(topic("a"), topic("b"), topic("c"), "none")),
                "topicNameValues",
                "values"));
  }

  /** Descriptions print their nodes and operations in any order; this one does not. */
  static String summary(TopicDescription topic) {
    return topic.name() + " " + topic.partitions().size();
  }
}
