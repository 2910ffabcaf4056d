package io.fencepost.txn.check;

import io.fencepost.txn.coordinator.TxnRecords;
import io.fencepost.txn.group.GroupRecords;
import io.fencepost.txn.table.Keys;
import io.fencepost.txn.table.Table;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The coordinators' rows as fields with names. */
public final class CoordinatorRows {
  private CoordinatorRows() {}

  /**
   * The fields of a row; null if it does not parse, or only helps to find others.
   *
   * @param key as it stands in the table
   */
  public static @Nullable Map<String, Object> describe(Table table, byte[] key, byte[] value) {
    if (table == Table.APPLIED) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("partition", Keys.text(key));
      fields.put(
          "appliedOffset", value.length < Long.BYTES ? -1 : ByteBuffer.wrap(value).getLong());
      return fields;
    }
    if (key.length < Integer.BYTES) {
      return null;
    }
    byte[] bare = Arrays.copyOfRange(key, Integer.BYTES, key.length);
    return switch (table) {
      case TRANSACTIONS -> TxnRecords.describeRow(Keys.text(bare), value);
      case GROUPS -> GroupRecords.describeGroupRow(Keys.text(bare), value);
      case COMMITTED_OFFSETS -> GroupRecords.describeCommittedRow(bare, value);
      case STAGED_OFFSETS -> GroupRecords.describeStagedRow(bare, value);
      case CONSUMER_GROUPS -> GroupRecords.describeConsumerRow(bare, value);
      case OPEN_TRANSACTIONS, APPLIED -> null;
    };
  }

  /**
   * Whose row it is, in words.
   *
   * @param bareKey without the number of the partition
   */
  public static String name(Table table, byte[] bareKey) {
    return switch (table) {
      case TRANSACTIONS, OPEN_TRANSACTIONS -> "transactional id " + Keys.text(bareKey);
      case GROUPS -> "group " + Keys.text(bareKey);
      case COMMITTED_OFFSETS, STAGED_OFFSETS -> offset(table, bareKey);
      case CONSUMER_GROUPS -> GroupRecords.nameConsumerRow(bareKey);
      case APPLIED -> Keys.text(bareKey);
    };
  }

  private static String offset(Table table, byte[] bareKey) {
    byte[] placeholder = new byte[64];
    Map<String, Object> fields =
        table == Table.COMMITTED_OFFSETS
            ? GroupRecords.describeCommittedRow(bareKey, placeholder)
            : GroupRecords.describeStagedRow(bareKey, placeholder);
    return fields == null
        ? "a staged offset"
        : "group %s in %s-%s"
            .formatted(fields.get("group"), fields.get("topic"), fields.get("partition"));
  }
}
