package io.fencepost.testkit.fault.wire;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.FindCoordinatorRequest;
import io.fencepost.testkit.fault.FaultFacts;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds in any request whom and what it is about: the first transactional id, the first group, and
 * every partition of it.
 */
public final class RequestFacts {
  private static final byte COORDINATES_TRANSACTION = 1;

  private final Function<Uuid, @Nullable String> topicNames;
  private final Set<TopicPartition> partitions = new LinkedHashSet<>();
  private @Nullable String transactionalId;
  private @Nullable String group;

  private RequestFacts(Function<Uuid, @Nullable String> topicNames) {
    this.topicNames = topicNames;
  }

  /**
   * What is known of a request.
   *
   * @param topicNames the names of topics that a request knows by id only; null if not known
   */
  public static FaultFacts of(
      WireMessage request, @Nullable String clientId, Function<Uuid, @Nullable String> topicNames) {
    RequestFacts facts = new RequestFacts(topicNames);
    if (request instanceof FindCoordinatorRequest sought) {
      facts.addKeys(sought);
    }
    facts.walk(request, null);
    return FaultFacts.NONE
        .client(clientId)
        .transaction(facts.transactionalId)
        .group(facts.group)
        .partitions(new ArrayList<>(facts.partitions));
  }

  private void addKeys(FindCoordinatorRequest sought) {
    String key = sought.coordinatorKeys.isEmpty() ? sought.key : sought.coordinatorKeys.get(0);
    if (sought.keyType == COORDINATES_TRANSACTION) {
      transactionalId = key;
    } else {
      group = key;
    }
  }

  private void walk(Object struct, @Nullable String topicAround) {
    String topic = topicAround;
    for (Field field : Shape.fields(struct.getClass())) {
      if (field.getType() == String.class || field.getType() == Uuid.class) {
        topic = text(struct, field, topic);
      }
    }
    for (Field field : Shape.fields(struct.getClass())) {
      if (field.getType() == int.class && topic != null && Shape.isPartition(field.getName())) {
        add(topic, Shape.get(field, struct));
      } else if (Shape.elementOf(field) != null && !field.getName().startsWith("forgotten")) {
        walkAll(field, (List<?>) Shape.get(field, struct), topic);
      }
    }
  }

  private @Nullable String text(Object struct, Field field, @Nullable String topic) {
    Object value = Shape.get(field, struct);
    if (value instanceof Uuid id) {
      String name = field.getName().equals("topicId") ? topicNames.apply(id) : null;
      return name == null ? topic : name;
    }
    if (!(value instanceof String text) || text.isEmpty()) {
      return topic;
    }
    if (field.getName().equals("transactionalId") && transactionalId == null) {
      transactionalId = text;
    } else if (field.getName().equals("groupId") && group == null) {
      group = text;
    }
    return Shape.isTopic(field.getName()) ? text : topic;
  }

  private void walkAll(Field field, @Nullable List<?> elements, @Nullable String topic) {
    if (elements == null) {
      return;
    }
    boolean numbers = field.getName().startsWith("partition");
    for (Object element : elements) {
      if (element instanceof Integer && numbers && topic != null) {
        add(topic, element);
      } else if (Shape.isStruct(element.getClass())) {
        walk(element, topic);
      }
    }
  }

  private void add(String topic, @Nullable Object number) {
    if (number instanceof Integer partition && partition >= 0) {
      partitions.add(new TopicPartition(topic, partition));
    }
  }
}
