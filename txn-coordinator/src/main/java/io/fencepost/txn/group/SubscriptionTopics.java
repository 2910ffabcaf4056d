package io.fencepost.txn.group;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The topic names in a consumer's subscription (all versions begin with them). Clients write these
 * bytes, so anything may be in them.
 */
final class SubscriptionTopics {
  private SubscriptionTopics() {}

  /** Null if the bytes are not a subscription. */
  static @Nullable SortedSet<String> of(byte[] subscription) {
    try {
      ByteBuffer in = ByteBuffer.wrap(subscription);
      short version = in.getShort();
      int count = in.getInt();
      if (version < 0 || count < 0 || count > in.remaining() / Short.BYTES) {
        return null;
      }
      SortedSet<String> topics = new TreeSet<>();
      for (int i = 0; i < count; i++) {
        short lengthBytes = in.getShort();
        if (lengthBytes < 0 || lengthBytes > in.remaining()) {
          return null;
        }
        byte[] name = new byte[lengthBytes];
        in.get(name);
        topics.add(new String(name, StandardCharsets.UTF_8));
      }
      return topics;
    } catch (BufferUnderflowException tooShort) {
      return null;
    }
  }
}
