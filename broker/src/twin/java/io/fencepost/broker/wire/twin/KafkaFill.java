package io.fencepost.broker.wire.twin;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/**
 * Fills Kafka's generated messages with random values. What a version has, and where it allows
 * null, comes from the schema that Kafka's own generator left in each class, not from our
 * generator.
 */
final class KafkaFill {
  private static final String LETTERS = "abcXYZ-_0189 äß€漢";
  private final Random random;
  private final double defaultShare;

  KafkaFill(Random random, double defaultShare) {
    this.random = random;
    this.defaultShare = defaultShare;
  }

  Message message(Class<?> type, int version) throws ReflectiveOperationException {
    Object message = type.getConstructor().newInstance();
    Schema[] schemas = (Schema[]) type.getField("SCHEMAS").get(null);
    Map<String, org.apache.kafka.common.protocol.types.Type> present = fields(schemas[version]);
    for (Field field : type.getDeclaredFields()) {
      org.apache.kafka.common.protocol.types.Type specified =
          present.remove(plain(field.getName()));
      if (!Modifier.isStatic(field.getModifiers()) && specified != null) {
        field.setAccessible(true);
        boolean mustBeSet = field.get(message) == null && !specified.isNullable();
        if (mustBeSet || random.nextDouble() >= defaultShare) {
          field.set(message, value(field, specified.isNullable(), version));
        }
      }
    }
    if (!present.isEmpty()) {
      throw new IllegalStateException(type + " has a schema but no field for " + present.keySet());
    }
    return (Message) message;
  }

  private static Map<String, org.apache.kafka.common.protocol.types.Type> fields(Schema schema) {
    Map<String, org.apache.kafka.common.protocol.types.Type> types = new TreeMap<>();
    for (BoundField field : schema.fields()) {
      if (field.def.type instanceof TaggedFields tagged) {
        tagged.fields().values().forEach(one -> types.put(plain(one.name), one.type));
      } else {
        types.put(plain(field.def.name), field.def.type);
      }
    }
    return types;
  }

  private static String plain(String name) {
    return name.replace("_", "").toLowerCase(Locale.ROOT);
  }

  private @Nullable Object value(Field field, boolean nullable, int version)
      throws ReflectiveOperationException {
    if (nullable && random.nextInt(6) == 0) {
      return null;
    }
    Class<?> type = field.getType();
    if (type == List.class) {
      Type element = ((ParameterizedType) field.getGenericType()).getActualTypeArguments()[0];
      List<Object> list = new ArrayList<>();
      addElements(list, (Class<?>) element, version);
      return list;
    }
    if (Collection.class.isAssignableFrom(type)) {
      @SuppressWarnings("unchecked")
      Collection<Object> list = (Collection<Object>) type.getConstructor().newInstance();
      Type superclass = type.getGenericSuperclass();
      Type element = ((ParameterizedType) superclass).getActualTypeArguments()[0];
      addElements(list, (Class<?>) element, version);
      return list;
    }
    return scalar(type, field.getName(), version);
  }

  private void addElements(Collection<Object> list, Class<?> element, int version)
      throws ReflectiveOperationException {
    for (int count = random.nextInt(4); count > 0; count--) {
      list.add(scalar(element, "", version));
    }
  }

  private Object scalar(Class<?> type, String name, int version)
      throws ReflectiveOperationException {
    if (Message.class.isAssignableFrom(type)) {
      return message(type, version);
    }
    return switch (type.getSimpleName()) {
      case "boolean", "Boolean" -> random.nextBoolean();
      case "byte", "Byte" -> (byte) random.nextInt();
      case "short", "Short" -> (short) random.nextInt();
      // Fields of 16 bits without sign are ints too; all of those are ports.
      case "int", "Integer" ->
          name.toLowerCase(Locale.ROOT).endsWith("port")
              ? random.nextInt(1 << 16)
              : random.nextInt();
      case "long", "Long" -> random.nextLong();
      case "double", "Double" -> random.nextDouble();
      case "String" -> text();
      case "Uuid" -> new Uuid(random.nextLong(), random.nextLong());
      case "byte[]" -> bytes(random.nextInt(8) == 0 ? 300 : 9);
      case "ByteBuffer" -> ByteBuffer.wrap(bytes(200));
      case "BaseRecords" -> MemoryRecords.readableRecords(ByteBuffer.wrap(bytes(1500)));
      default -> throw new IllegalStateException("No random values for " + type);
    };
  }

  private byte[] bytes(int limit) {
    byte[] bytes = new byte[random.nextInt(limit)];
    random.nextBytes(bytes);
    return bytes;
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(random.nextInt(20) == 0 ? 200 : 9); length > 0; length--) {
      text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return text.toString();
  }
}
