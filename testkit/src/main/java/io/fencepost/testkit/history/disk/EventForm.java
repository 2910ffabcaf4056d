package io.fencepost.testkit.history.disk;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Content;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.EventNames;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnState;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How one kind of event is written: a field for each component of the record, under its name with
 * underscores. A partition is written as {@code topic} and {@code partition}, a producer as {@code
 * producer_id} and {@code producer_epoch}. docs/history.md describes all of it.
 */
final class EventForm {
  static final String INVOKED = "invoked";

  private static final Set<String> LISTS = Set.of("partitions", "transactions");

  /** Where something stands: from 0. */
  private static final Set<String> PLACES =
      Set.of("offset", "position", "base_offset", "last_offset", "from_offset", "to_offset");

  /** Their offset is -1 if there is none. */
  private static final Set<Class<?>> MAY_BE_NOWHERE =
      Set.of(Event.Sent.class, Event.Sequenced.class, Event.OffsetSeen.class);

  private final Class<? extends Event> kind;
  private final Constructor<? extends Event> constructor;
  private final List<Part> parts = new ArrayList<>();

  /** One component of the record. */
  private record Part(
      String name,
      Class<?> type,
      boolean holdsPartitions,
      Method accessor,
      Map<String, Object> constants) {
    static Part of(RecordComponent component) {
      boolean holdsPartitions =
          component.getGenericType() instanceof ParameterizedType generic
              && generic.getActualTypeArguments()[0] == TopicPartition.class;
      return new Part(
          EventNames.snake(component.getName()),
          component.getType(),
          holdsPartitions,
          component.getAccessor(),
          constants(component.getType()));
    }

    /** What is written for each constant of an enum: its name in small letters. */
    private static Map<String, Object> constants(Class<?> type) {
      Map<String, Object> constants = new LinkedHashMap<>();
      if (type.isEnum()) {
        for (Object constant : type.getEnumConstants()) {
          constants.put(written((Enum<?>) constant), constant);
        }
      }
      return constants;
    }

    private static String written(Enum<?> constant) {
      return constant instanceof TxnState state
          ? state.label()
          : constant.name().toLowerCase(Locale.ROOT);
    }
  }

  EventForm(Class<? extends Event> kind) {
    this.kind = kind;
    RecordComponent[] components = kind.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      parts.add(Part.of(components[i]));
    }
    try {
      this.constructor = kind.getDeclaredConstructor(types);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("a record without its constructor: " + kind, e);
    }
  }

  String name() {
    return EventNames.of(kind);
  }

  boolean isInvocation() {
    return EventNames.isInvocation(kind);
  }

  // ---- writing

  /** The fields, outcome first, without the braces around. */
  void write(Event event, JsonGenerator json) throws IOException {
    if (isInvocation()) {
      json.writeStringField("outcome", INVOKED);
    } else if (kind == Event.OffsetSeen.class) {
      json.writeStringField("outcome", "ok");
    }
    for (Part part : parts) {
      if (part.type == Outcome.class) {
        write(part, value(part, event), json);
      }
    }
    for (Part part : parts) {
      if (part.type != Outcome.class) {
        write(part, value(part, event), json);
      }
    }
  }

  private static Object value(Part part, Event event) {
    try {
      return part.accessor.invoke(event);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException("not to be read: " + part.name, e);
    }
  }

  private static void write(Part part, Object value, JsonGenerator json) throws IOException {
    if (value instanceof TopicPartition it) {
      json.writeStringField("topic", it.topic());
      json.writeNumberField("partition", it.partition());
    } else if (value instanceof ProducerIdentity it) {
      json.writeNumberField("producer_id", it.producerId());
      json.writeNumberField("producer_epoch", it.epoch());
    } else if (value instanceof String it) {
      if (!isLeftOut(part, it)) {
        json.writeStringField(part.name, it);
      }
    } else if (value instanceof Content it) {
      writeContent(it, json);
    } else if (value instanceof Boolean it) {
      json.writeBooleanField(part.name, it);
    } else if (value instanceof Number it) {
      json.writeNumberField(part.name, it.longValue());
    } else if (value instanceof Enum<?> it) {
      json.writeStringField(part.name, Part.written(it));
    } else if (value instanceof Collection<?> it) {
      writeList(part, it, json);
    } else {
      throw new IllegalStateException("no form for " + value.getClass());
    }
  }

  private static void writeContent(Content content, JsonGenerator json) throws IOException {
    writeSaid("key", content.key(), json);
    writeSaid("origin", content.origin(), json);
    writeSaid("amount", content.amount(), json);
  }

  private static void writeSaid(String name, String text, JsonGenerator json) throws IOException {
    if (!text.isEmpty()) {
      json.writeStringField(name, text);
    }
  }

  private static boolean isLeftOut(Part part, String text) {
    return (part.name.equals("why") && text.isEmpty())
        || (part.name.equals("transaction") && text.startsWith(Event.PLAIN_PREFIX));
  }

  private static void writeList(Part part, Collection<?> list, JsonGenerator json)
      throws IOException {
    json.writeArrayFieldStart(part.name);
    for (Object element : list) {
      if (element instanceof TopicPartition it) {
        json.writeStartObject();
        json.writeStringField("topic", it.topic());
        json.writeNumberField("partition", it.partition());
        json.writeEndObject();
      } else {
        json.writeString(String.valueOf(element));
      }
    }
    json.writeEndArray();
  }

  // ---- reading

  /** The event that these fields are; null if it is one that changes nothing. */
  @Nullable Event read(Fields fields) throws LineException {
    if (kind == Event.OffsetSeen.class && !fields.says("outcome", "ok")) {
      return null;
    }
    Object[] arguments = new Object[parts.size()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = value(parts.get(i), fields);
    }
    Event event;
    try {
      event = constructor.newInstance(arguments);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("not to be made: " + kind, e);
    }
    if (event instanceof Event.Sent it && it.outcome() == Outcome.OK && it.offset() < 0) {
      throw fields.wrong("offset", "where the record stands", it.offset());
    }
    return event;
  }

  private Object value(Part part, Fields fields) throws LineException {
    if (part.type == TopicPartition.class) {
      return fields.partition();
    }
    if (part.type == ProducerIdentity.class) {
      return fields.producer();
    }
    if (part.type == Content.class) {
      return fields.content();
    }
    if (!fields.has(part.name)) {
      Object absent = absent(part, fields);
      if (absent != null) {
        return absent;
      }
    }
    if (part.type == String.class) {
      return fields.text(part.name);
    }
    if (part.type == boolean.class) {
      return fields.flag(part.name);
    }
    if (part.type == long.class) {
      boolean isPlace = PLACES.contains(part.name) && !MAY_BE_NOWHERE.contains(kind);
      return fields.number(part.name, isPlace ? 0 : -1, Long.MAX_VALUE);
    }
    if (part.type == int.class) {
      return (int) fields.number(part.name, -1, Integer.MAX_VALUE);
    }
    if (part.type == SortedSet.class) {
      return part.holdsPartitions ? fields.partitions(part.name) : fields.texts(part.name);
    }
    return fields.constant(part.name, part.constants);
  }

  /** What stands for a field that may be left out; null if it may not. */
  private @Nullable Object absent(Part part, Fields fields) throws LineException {
    if (part.name.equals("why")) {
      return "";
    }
    if (LISTS.contains(part.name)) {
      return new TreeSet<>();
    }
    boolean isSend = kind == Event.Sent.class || kind == Event.SendAsked.class;
    if (isSend && part.name.equals("transaction")) {
      return Event.plain(fields.text("value"));
    }
    boolean isAnswer = kind == Event.Sent.class || kind == Event.Sequenced.class;
    if (isAnswer && part.name.equals("offset") && !fields.says("outcome", "ok")) {
      return -1L;
    }
    return null;
  }
}
