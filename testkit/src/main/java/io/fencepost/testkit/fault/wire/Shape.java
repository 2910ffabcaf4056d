package io.fencepost.testkit.fault.wire;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of generated messages, which name the same thing differently from request to answer: a
 * partition is {@code partition}, {@code partitionIndex} or {@code index}, a topic {@code name} or
 * {@code topic}.
 */
final class Shape {
  private static final List<String> PARTITION =
      List.of("partitionIndex", "partition", "index", "partitionId");
  private static final List<String> TOPIC = List.of("name", "topic", "topicName", "user");
  private static final ClassValue<List<Field>> FIELDS =
      new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> struct) {
          List<Field> fields = new ArrayList<>();
          for (Field field : struct.getFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
              fields.add(field);
            }
          }
          return List.copyOf(fields);
        }
      };

  private Shape() {}

  /** The fields of a message or of a part of one. */
  static List<Field> fields(Class<?> struct) {
    return FIELDS.get(struct);
  }

  /** The class of a list's elements; null if the field is no list. */
  static @Nullable Class<?> elementOf(Field field) {
    return field.getType() == List.class
            && field.getGenericType() instanceof ParameterizedType list
            && list.getActualTypeArguments()[0] instanceof Class<?> element
        ? element
        : null;
  }

  /** Whether it is a part of a message rather than a number or text. */
  static boolean isStruct(@Nullable Class<?> type) {
    return type != null && type.getName().startsWith("io.fencepost.broker.wire.message.");
  }

  static boolean isPartition(String field) {
    return PARTITION.contains(field);
  }

  static boolean isTopic(String field) {
    return TOPIC.contains(field);
  }

  /** The field of that struct which means the same as this one; null if there is none. */
  static @Nullable Field same(Class<?> struct, Field wanted) {
    Field found = null;
    for (Field field : fields(struct)) {
      if (field.getType() == wanted.getType()) {
        if (field.getName().equals(wanted.getName())) {
          return field;
        }
        boolean means =
            (isPartition(field.getName()) && isPartition(wanted.getName()))
                || (isTopic(field.getName()) && isTopic(wanted.getName()));
        found = means && found == null ? field : found;
      }
    }
    return found;
  }

  static @Nullable Object get(Field field, Object from) {
    try {
      return field.get(from);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("the fields of messages are public, not " + field, e);
    }
  }

  static void set(Field field, Object in, @Nullable Object value) {
    try {
      field.set(in, value);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("the fields of messages are public, not " + field, e);
    }
  }

  /** A new message or part with the specified defaults. */
  static Object make(Class<?> struct) {
    try {
      return struct.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("messages have a constructor without arguments", e);
    }
  }
}
