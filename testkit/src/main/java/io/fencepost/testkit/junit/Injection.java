package io.fencepost.testkit.junit;

import io.fencepost.txn.main.FencepostCluster;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;

/** What a parameter can be, and how it is made. */
final class Injection {
  private static final String COMMITTED = "read_committed";
  private static final String UNCOMMITTED = "read_uncommitted";
  private static final String CAN_BE =
      """

      A parameter of a @Fencepost test can be
        TestCluster                                    the cluster: topics, logs, waits
        FencepostCluster                               its brokers, to be stopped, killed or cut off
        @BootstrapServers String                       its addresses
        Producer<K, V> or KafkaProducer<K, V>
        Consumer<K, V> or KafkaConsumer<K, V>          with @ReadCommitted(TOPICS) or @ReadUncommitted(TOPICS)
        Admin or AdminClient
      where K and V are String, byte[], ByteBuffer, Bytes, Short, Integer, Long, Float, Double, UUID or Void, or\
       any type whose serializer @Settings("value.serializer=CLASS") names\
      """;

  private Injection() {}

  /** Ours: what carries one of our annotations, and what only a Kafka cluster can give. */
  static boolean claims(ParameterContext context) {
    String type = context.getParameter().getType().getName();
    return context.isAnnotated(BootstrapServers.class)
        || context.isAnnotated(ReadCommitted.class)
        || context.isAnnotated(ReadUncommitted.class)
        || context.isAnnotated(Settings.class)
        || type.startsWith("org.apache.kafka.clients.")
        || type.equals(TestCluster.class.getName())
        || type.equals(FencepostCluster.class.getName());
  }

  static Object of(ParameterContext context, TestCluster cluster, OpenClients clients) {
    Parameter parameter = context.getParameter();
    Class<?> type = parameter.getType();
    boolean isConsumer = type == Consumer.class || type == KafkaConsumer.class;
    boolean isProducer = type == Producer.class || type == KafkaProducer.class;
    boolean isAdmin = type == Admin.class || type == AdminClient.class;
    refuseIf(
        context.isAnnotated(BootstrapServers.class) && type != String.class,
        parameter,
        "the addresses are a String");
    refuseIf(
        (context.isAnnotated(ReadCommitted.class) || context.isAnnotated(ReadUncommitted.class))
            && !isConsumer,
        parameter,
        "only a Consumer has an isolation level");
    refuseIf(
        context.isAnnotated(ReadCommitted.class) && context.isAnnotated(ReadUncommitted.class),
        parameter,
        "a Consumer has one isolation level");
    refuseIf(
        context.isAnnotated(Settings.class) && !isConsumer && !isProducer && !isAdmin,
        parameter,
        "only a client has settings");
    if (context.isAnnotated(BootstrapServers.class)) {
      return cluster.bootstrapServers();
    }
    if (type == TestCluster.class) {
      return cluster;
    }
    if (type == FencepostCluster.class) {
      return cluster.brokers();
    }
    TreeMap<String, Object> settings = settings(context);
    if (isAdmin) {
      return clients.add(ClusterClients.admin(cluster.bootstrapServers(), settings));
    }
    if (isProducer) {
      codec(parameter, 0, "key", ".serializer", settings);
      codec(parameter, 1, "value", ".serializer", settings);
      return clients.add(ClusterClients.producer(cluster.bootstrapServers(), settings));
    }
    refuseIf(!isConsumer, parameter, type.getSimpleName() + " is none of these");
    codec(parameter, 0, "key", ".deserializer", settings);
    codec(parameter, 1, "value", ".deserializer", settings);
    return clients.add(consumer(context, cluster, settings));
  }

  private static KafkaConsumer<Object, Object> consumer(
      ParameterContext context, TestCluster cluster, TreeMap<String, Object> settings) {
    Optional<ReadUncommitted> uncommitted = context.findAnnotation(ReadUncommitted.class);
    Optional<ReadCommitted> committed = context.findAnnotation(ReadCommitted.class);
    String group =
        uncommitted
            .map(ReadUncommitted::group)
            .or(() -> committed.map(ReadCommitted::group))
            .orElse("");
    String[] topics =
        uncommitted
            .map(ReadUncommitted::value)
            .or(() -> committed.map(ReadCommitted::value))
            .orElse(new String[0]);
    settings.putIfAbsent("isolation.level", uncommitted.isPresent() ? UNCOMMITTED : COMMITTED);
    if (!group.isEmpty()) {
      settings.put("group.id", group);
    }
    KafkaConsumer<Object, Object> consumer =
        ClusterClients.consumer(cluster.bootstrapServers(), settings);
    if (topics.length > 0) {
      consumer.subscribe(List.of(topics));
    }
    return consumer;
  }

  private static TreeMap<String, Object> settings(ParameterContext context) {
    return context
        .findAnnotation(Settings.class)
        .map(it -> Pairs.parse("@Settings of " + context.getParameter(), it.value()))
        .map(TreeMap<String, Object>::new)
        .orElseGet(TreeMap::new);
  }

  /** Only where the settings name none, by the type argument; without one it is a String. */
  private static void codec(
      Parameter parameter, int argument, String role, String what, Map<String, Object> settings) {
    if (settings.containsKey(role + what)) {
      return;
    }
    Type type =
        parameter.getParameterizedType() instanceof ParameterizedType generic
            ? generic.getActualTypeArguments()[argument]
            : String.class;
    Serde<?> serde = type instanceof Class<?> plain ? serdeOf(plain) : null;
    if (serde == null) {
      throw new ParameterResolutionException(
          "parameter %s: kafka-clients has no %s for %s; name one: @Settings(\"%s%s=CLASS\")%s"
              .formatted(parameter, what.substring(1), type.getTypeName(), role, what, CAN_BE));
    }
    settings.put(
        role + what,
        (what.equals(".serializer") ? serde.serializer() : serde.deserializer())
            .getClass()
            .getName());
  }

  private static @Nullable Serde<?> serdeOf(Class<?> type) {
    if (type == Void.class) {
      return Serdes.Void();
    }
    try {
      return Serdes.serdeFrom(type);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static void refuseIf(boolean wrong, Parameter parameter, String why) {
    if (wrong) {
      throw new ParameterResolutionException("parameter " + parameter + ": " + why + CAN_BE);
    }
  }
}
