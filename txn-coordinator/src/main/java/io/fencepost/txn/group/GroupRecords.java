package io.fencepost.txn.group;

import io.fencepost.broker.wire.WireException;
import io.fencepost.txn.group.GroupRecord.MemberRecord;
import io.fencepost.txn.group.consumer.ConsumerRecords;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What stands in {@code __consumer_offsets} and in its rows, for tools that show it. */
public final class GroupRecords {
  private GroupRecords() {}

  /** The fields of a record; null if it is of a kind that is not known or does not parse. */
  public static @Nullable Map<String, Object> describe(
      @Nullable ByteBuffer key, @Nullable ByteBuffer value) {
    if (key == null || key.remaining() < Short.BYTES) {
      return null;
    }
    ByteBuffer rest = key.duplicate();
    short type = rest.getShort();
    try {
      if (GroupCodec.isOffset(type)) {
        Map<String, Object> fields = key(GroupCodec.offsetKey(rest));
        if (value == null) {
          fields.put("deleted", true);
        } else {
          put(fields, GroupCodec.offsetValue(value.duplicate(), -1));
        }
        return fields;
      }
      if (!GroupCodec.isGroup(type)) {
        return ConsumerRecords.describe(key, value);
      }
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("group", GroupCodec.groupId(rest));
      if (value == null) {
        fields.put("deleted", true);
      } else {
        byte[] bytes = new byte[value.remaining()];
        value.duplicate().get(bytes);
        put(fields, GroupCodec.groupValue(bytes));
      }
      return fields;
    } catch (WireException | BufferUnderflowException foreign) {
      return null;
    }
  }

  /** The fields of a row of a group. */
  public static @Nullable Map<String, Object> describeGroupRow(String group, byte[] value) {
    try {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("group", group);
      put(fields, GroupCodec.groupValue(value));
      return fields;
    } catch (WireException | BufferUnderflowException foreign) {
      return null;
    }
  }

  /** The fields of a row of a group of the newer protocol. */
  public static @Nullable Map<String, Object> describeConsumerRow(byte[] key, byte[] value) {
    return describeConsumer(key, ByteBuffer.wrap(value));
  }

  /** Whose row it is, in words. */
  public static String nameConsumerRow(byte[] key) {
    Map<String, Object> fields = describeConsumer(key, null);
    if (fields == null) {
      return "a group of the newer protocol";
    }
    Object member = fields.get("memberId");
    return "group %s (%s%s)"
        .formatted(fields.get("group"), fields.get("about"), member == null ? "" : " of " + member);
  }

  private static @Nullable Map<String, Object> describeConsumer(
      byte[] key, @Nullable ByteBuffer value) {
    ByteBuffer logged = ConsumerRows.loggedKey(key);
    try {
      return logged == null ? null : ConsumerRecords.describe(logged, value);
    } catch (WireException | BufferUnderflowException foreign) {
      return null;
    }
  }

  /** The fields of a row of a committed offset. */
  public static @Nullable Map<String, Object> describeCommittedRow(byte[] key, byte[] value) {
    try {
      Map<String, Object> fields = key(OffsetRows.keyOf(key));
      put(fields, OffsetRows.stored(value));
      return fields;
    } catch (BufferUnderflowException | NegativeArraySizeException foreign) {
      return null;
    }
  }

  /** The fields of a row of a staged offset; null for the rows that only point to these. */
  public static @Nullable Map<String, Object> describeStagedRow(byte[] key, byte[] value) {
    try {
      if (!OffsetRows.isStaged(key)) {
        return null;
      }
      Map<String, Object> fields = key(OffsetRows.keyOfStaged(key));
      fields.put("producerId", ByteBuffer.wrap(key).getLong(1));
      fields.put("producerEpoch", OffsetRows.epochOfStaged(value));
      put(fields, OffsetRows.storedOfStaged(value));
      return fields;
    } catch (BufferUnderflowException | NegativeArraySizeException foreign) {
      return null;
    }
  }

  private static Map<String, Object> key(OffsetKey key) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("group", key.group());
    fields.put("topic", key.partition().topic());
    fields.put("partition", key.partition().partition());
    return fields;
  }

  private static void put(Map<String, Object> fields, StoredOffset stored) {
    fields.put("committedOffset", stored.offset());
    fields.put("leaderEpoch", stored.leaderEpoch());
    fields.put("metadata", stored.metadata());
    fields.put("commitMs", stored.commitMs());
    if (stored.expireMs() >= 0) {
      fields.put("expireMs", stored.expireMs());
    }
    if (stored.logOffset() >= 0) {
      fields.put("logOffset", stored.logOffset());
    }
  }

  private static void put(Map<String, Object> fields, GroupRecord group) {
    fields.put("protocolType", group.protocolType());
    fields.put("protocol", group.protocol());
    fields.put("generation", group.generation());
    fields.put("leader", group.leaderId());
    fields.put("stateSinceMs", group.stateSinceMs());
    List<Map<String, Object>> members = new ArrayList<>();
    for (MemberRecord member : group.members()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("memberId", member.identity().memberId());
      one.put("instanceId", member.identity().instanceId());
      one.put("clientId", member.origin().clientId());
      one.put("host", member.origin().clientHost());
      one.put("sessionTimeoutMs", member.timeouts().sessionTimeoutMs());
      one.put("rebalanceTimeoutMs", member.timeouts().rebalanceTimeoutMs());
      members.add(one);
    }
    fields.put("members", members);
  }
}
