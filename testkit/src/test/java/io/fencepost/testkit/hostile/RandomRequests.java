package io.fencepost.testkit.hostile;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.RequestHeader;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireException;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireWriter;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Requests of any API with random content, valid to the last byte; and the same with damage. */
final class RandomRequests {
  private static final int MAX_ELEMENTS = 3;
  private static final int TRIES = 20;

  private final SplittableRandom random;
  private final List<String> names;

  /**
   * @param names what topics, groups and transactional ids are called
   */
  RandomRequests(SplittableRandom random, List<String> names) {
    this.random = random;
    this.names = names;
  }

  /** A frame without its length. */
  byte[] frame(ApiKey api, int version) throws ReflectiveOperationException {
    Class<?> type = Class.forName("io.fencepost.broker.wire.message." + api.apiName() + "Request");
    for (int tries = 0; ; tries++) {
      WireWriter out = new WireWriter();
      new RequestHeader(api.id(), version, random.nextInt(), "mutant").write(out);
      WireMessage request = (WireMessage) type.getConstructor().newInstance();
      // A field that the version lacks must keep its default: the more tries, the fewer are set.
      fill(request, 1.0 - (double) tries / TRIES);
      try {
        request.write(out, version);
      } catch (WireException absent) {
        continue;
      }
      ByteBuffer whole = out.toBuffer();
      byte[] bytes = new byte[whole.remaining()];
      whole.get(bytes);
      return bytes;
    }
  }

  /** Some bytes changed, cut out, put in or left off; the API and its version stay. */
  byte[] damaged(byte[] frame) {
    int first = Math.min(frame.length, 8);
    byte[] bytes = frame.clone();
    for (int hits = random.nextInt(4); hits > 0 && bytes.length > first; hits--) {
      int at = first + random.nextInt(bytes.length - first);
      switch (random.nextInt(5)) {
        case 0 -> bytes[at] = (byte) random.nextInt();
        case 1 -> bytes[at] = (byte) (random.nextBoolean() ? 0xff : 0x7f);
        case 2 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 3 -> bytes = spliced(bytes, at, random.nextInt(3), random.nextInt(3));
        default -> bytes = random.nextInt(8) == 0 ? spliced(bytes, at, bytes.length, 0) : bytes;
      }
    }
    return bytes;
  }

  private byte[] spliced(byte[] bytes, int at, int cut, int put) {
    int removed = Math.min(cut, bytes.length - at);
    ByteBuffer out = ByteBuffer.allocate(bytes.length - removed + put);
    out.put(bytes, 0, at);
    for (int i = 0; i < put; i++) {
      out.put((byte) random.nextInt());
    }
    return out.put(bytes, at + removed, bytes.length - at - removed).array();
  }

  private void fill(Object struct, double share) throws ReflectiveOperationException {
    for (Field field : struct.getClass().getFields()) {
      if (!Modifier.isStatic(field.getModifiers()) && random.nextDouble() < share) {
        field.set(struct, value(field.getGenericType(), share));
      }
    }
  }

  private Object value(Type type, double share) throws ReflectiveOperationException {
    if (type instanceof ParameterizedType list) {
      List<Object> elements = new ArrayList<>();
      for (int i = random.nextInt(MAX_ELEMENTS); i > 0; i--) {
        elements.add(value(list.getActualTypeArguments()[0], share));
      }
      return elements;
    }
    if (type == boolean.class || type == Boolean.class) {
      return random.nextBoolean();
    } else if (type == byte.class || type == Byte.class) {
      return (byte) random.nextInt(-1, 5);
    } else if (type == short.class || type == Short.class) {
      return (short) number();
    } else if (type == int.class || type == Integer.class) {
      return (int) number();
    } else if (type == long.class || type == Long.class) {
      return number();
    } else if (type == double.class || type == Double.class) {
      return random.nextDouble();
    } else if (type == String.class) {
      return names.get(random.nextInt(names.size()));
    } else if (type == byte[].class) {
      return new byte[random.nextInt(20)];
    } else if (type == Uuid.class) {
      return new Uuid(random.nextLong(), random.nextLong());
    } else if (type == Bytes.class) {
      return batch();
    }
    Object struct = ((Class<?>) type).getConstructor().newInstance();
    fill(struct, share);
    return struct;
  }

  private long number() {
    return switch (random.nextInt(12)) {
      case 0 -> -1;
      case 1 -> random.nextLong();
      case 2 -> random.nextBoolean() ? Long.MIN_VALUE : Integer.MIN_VALUE;
      default -> random.nextInt(6);
    };
  }

  private Bytes batch() {
    BatchWriter batch = BatchWriter.at(0);
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      batch.add(System.currentTimeMillis(), new byte[3], new byte[random.nextInt(30)]);
    }
    return Bytes.of(batch.build());
  }
}
