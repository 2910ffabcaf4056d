package io.fencepost.broker.wire.twin;

import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireException;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/**
 * One of our message classes and the class of Kafka that does the same. Each check throws an {@link
 * AssertionError} that names message, version and what differs.
 */
public final class Twin {
  private final Class<?> ours;
  private final Class<?> theirs;
  private final Method read;

  public Twin(Class<?> ours, Class<?> theirs) {
    this.ours = ours;
    this.theirs = theirs;
    try {
      this.read = ours.getMethod("read", WireReader.class, int.class);
    } catch (NoSuchMethodException e) {
      throw new LinkageError("the twin classes differ", e);
    }
  }

  public int lowestVersion() {
    return constant(ours, "LOWEST_VERSION");
  }

  public int highestVersion() {
    return constant(ours, "HIGHEST_VERSION");
  }

  /** Both sides know the same versions. */
  public void checkVersions() {
    check(lowestVersion() == constant(theirs, "LOWEST_SUPPORTED_VERSION"), "lowest version", 0);
    check(highestVersion() == constant(theirs, "HIGHEST_SUPPORTED_VERSION"), "highest version", 0);
  }

  /** A message that nobody touched is the same on both sides, in every version. */
  public void checkDefaults() throws ReflectiveOperationException {
    for (int version = lowestVersion(); version <= highestVersion(); version++) {
      WireMessage mine = (WireMessage) ours.getConstructor().newInstance();
      Message other = (Message) theirs.getConstructor().newInstance();
      compareValues(mine, other, "", version);
      compareWritten(mine, other, version);
    }
  }

  /** What Kafka wrote reads as the same values and is written as the same bytes. */
  public void checkRandom(Random random) throws ReflectiveOperationException {
    for (int version = lowestVersion(); version <= highestVersion(); version++) {
      Message other = new KafkaFill(random, 0.2).message(theirs, version);
      byte[] bytes = MessageUtil.byteBufferToArray(accessor(other, version));
      WireMessage mine = read(bytes, version);
      compareValues(mine, other, "", version);
      check(Arrays.equals(written(mine, version), bytes), "bytes", version);
    }
  }

  /** In a version that lacks some of the fields, both sides drop them or both refuse. */
  public void checkOtherVersion(Random random) throws ReflectiveOperationException {
    for (int version = lowestVersion(); version <= highestVersion(); version++) {
      Message other = new KafkaFill(random, 0.75).message(theirs, version);
      WireMessage mine = read(MessageUtil.byteBufferToArray(accessor(other, version)), version);
      int target = lowestVersion() + random.nextInt(highestVersion() - lowestVersion() + 1);
      compareWritten(mine, other, target);
    }
  }

  /** A random message as Kafka writes it. */
  public byte[] randomBytes(Random random, int version) throws ReflectiveOperationException {
    Message other = new KafkaFill(random, 0.2).message(theirs, version);
    return MessageUtil.byteBufferToArray(accessor(other, version));
  }

  /** Reads a whole message of ours. */
  public WireMessage read(byte[] bytes, int version) throws ReflectiveOperationException {
    return read(new WireReader(ByteBuffer.wrap(bytes)), version);
  }

  /** Reads a message of ours, which must end where the reader ends. */
  public WireMessage read(WireReader in, int version) throws ReflectiveOperationException {
    try {
      WireMessage message = (WireMessage) read.invoke(null, in, version);
      if (in.remaining() > 0) {
        throw new WireException(
            ours.getSimpleName() + " leaves bytes from position " + in.position());
      }
      return message;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof WireException wire) {
        throw wire;
      }
      throw e;
    }
  }

  @Override
  public String toString() {
    return ours.getSimpleName();
  }

  private void compareWritten(WireMessage mine, Message other, int version) {
    byte @Nullable [] expected;
    try {
      expected = MessageUtil.byteBufferToArray(accessor(other, version));
    } catch (UnsupportedVersionException | NullPointerException e) {
      expected = null;
    }
    byte @Nullable [] actual;
    String refusal = "";
    try {
      actual = written(mine, version);
    } catch (WireException e) {
      actual = null;
      refusal = String.valueOf(e.getMessage());
    }
    check(
        (expected == null) == (actual == null),
        "whether it can be written: Kafka " + (expected != null) + ", we: " + refusal,
        version);
    check(Arrays.equals(expected, actual), "bytes", version);
  }

  private static ByteBuffer accessor(Message message, int version) {
    return MessageUtil.toByteBufferAccessor(message, (short) version).buffer();
  }

  private static byte[] written(WireMessage message, int version) {
    WireWriter out = new WireWriter();
    message.write(out, version);
    ByteBuffer buffer = out.toBuffer();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private void compareValues(Object mine, Object other, String path, int version)
      throws ReflectiveOperationException {
    for (Field field : mine.getClass().getFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        Field twin = other.getClass().getDeclaredField(field.getName());
        twin.setAccessible(true);
        compare(field.get(mine), twin.get(other), path + "." + field.getName(), version);
      }
    }
  }

  private void compare(@Nullable Object mine, @Nullable Object other, String path, int version)
      throws ReflectiveOperationException {
    if (mine == null || other == null) {
      check(mine == other, path, version);
    } else if (mine instanceof List<?> list) {
      Iterator<?> others = ((Collection<?>) other).iterator();
      check(list.size() == ((Collection<?>) other).size(), path + " in size", version);
      for (Object element : list) {
        compare(element, others.next(), path, version);
      }
    } else if (mine instanceof Uuid uuid) {
      check(uuid.toString().equals(other.toString()), path, version);
    } else if (mine instanceof byte[] bytes) {
      byte[] expected =
          other instanceof ByteBuffer buffer
              ? MessageUtil.byteBufferToArray(buffer.duplicate())
              : (byte[]) other;
      check(Arrays.equals(bytes, expected), path, version);
    } else if (mine instanceof Bytes bytes) {
      check(bytes.toBuffer().equals(((MemoryRecords) other).buffer()), path, version);
    } else if (other instanceof Message) {
      compareValues(mine, other, path, version);
    } else {
      check(Objects.equals(mine, other), path, version);
    }
  }

  private void check(boolean holds, String what, int version) {
    if (!holds) {
      throw new AssertionError(ours.getSimpleName() + " version " + version + " differs: " + what);
    }
  }

  private static int constant(Class<?> type, String name) {
    try {
      return ((Number) type.getField(name).get(null)).intValue();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.toString(), e);
    }
  }
}
