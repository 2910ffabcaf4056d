package io.fencepost.testkit.fault.wire;

import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireException;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests in which every field that a version has holds something, and every list two things. */
final class FilledRequests {
  private static final Uuid TOPIC_ID = new Uuid(3, 4);

  private final WireMessage request;
  private final int version;
  private int next;

  private FilledRequests(WireMessage request, int version) {
    this.request = request;
    this.version = version;
  }

  /** As a broker would read it. */
  static WireMessage of(ApiKey api, int version) {
    try {
      Class<?> type =
          Class.forName("io.fencepost.broker.wire.message." + api.apiName() + "Request");
      FilledRequests filled =
          new FilledRequests((WireMessage) type.getConstructor().newInstance(), version);
      filled.fill(filled.request);
      WireWriter out = new WireWriter();
      filled.request.write(out, version);
      return api.readRequest(new WireReader(out.toBuffer()), version);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private void fill(Object struct) throws ReflectiveOperationException {
    for (Field field : Shape.fields(struct.getClass())) {
      Object before = field.get(struct);
      field.set(struct, value(field.getName(), field.getGenericType()));
      if (!fits()) {
        field.set(struct, before);
      } else if (field.get(struct) instanceof List<?> elements) {
        for (Object element : elements) {
          if (Shape.isStruct(element.getClass())) {
            fill(element);
          }
        }
      }
    }
  }

  private boolean fits() {
    try {
      request.write(new WireWriter(), version);
      return true;
    } catch (WireException e) {
      return false;
    }
  }

  private @Nullable Object value(String name, Type type) throws ReflectiveOperationException {
    if (type instanceof ParameterizedType list) {
      List<Object> elements = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Object element = value(name, list.getActualTypeArguments()[0]);
        if (element != null) {
          elements.add(element);
        }
      }
      return elements;
    }
    int number = ++next;
    if (type == boolean.class) {
      return true;
    } else if (type == byte.class || type == Byte.class) {
      return (byte) 1;
    } else if (type == short.class || type == Short.class) {
      return (short) number;
    } else if (type == int.class || type == Integer.class) {
      return number;
    } else if (type == long.class || type == Long.class) {
      return (long) number;
    } else if (type == double.class || type == Double.class) {
      return 1.0;
    } else if (type == String.class) {
      return name + number;
    } else if (type == byte[].class) {
      return new byte[1];
    } else if (type == Uuid.class) {
      return TOPIC_ID;
    } else if (type == Bytes.class) {
      return Bytes.EMPTY;
    }
    Class<?> struct = (Class<?>) type;
    return struct.getConstructor().newInstance();
  }
}
